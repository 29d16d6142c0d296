import * as z from 'zod';
import { StepError } from '../../../core/errors/step-error.ts';
import { tryParseJson } from '../../../core/json/json.ts';
import { type ContentPart, Message } from '../../../domain/conversations/message.ts';
import type { PromptConfig } from '../../../domain/flows/step-types/prompt.ts';
import type { StepPlanning } from '../../step-support/step-runner.ts';

/** Unknown members are ignored: the list may come from a record, or from another service. */
const Messages = z.array(z.object(Message.shape));

/** The messages that `previousMessages` names. @throws StepError */
export async function readEarlierMessages({
  config,
  renderValue,
}: StepPlanning<PromptConfig>): Promise<Message[]> {
  if (!config.previousMessages) return [];
  const value = await renderValue(config.previousMessages);
  if (value === null || value === '') return [];
  const { data, error } = Messages.safeParse(typeof value === 'string' ? tryParseJson(value) : value);
  if (data) return data;
  const at = error.issues[0]?.path.join('.');
  throw new StepError(
    `previousMessages must name a list of messages {role, content}, with a text or a list of parts as content${at ? `; see ${at}` : ''}`,
  );
}

export async function addAttachments(
  { config: { attachments = [] }, render }: StepPlanning<PromptConfig>,
  prompt: string,
): Promise<string | ContentPart[]> {
  if (attachments.length === 0) return prompt;
  const parts = attachments.map(
    async (part): Promise<ContentPart> =>
      part.type === 'image'
        ? { ...part, image: await render(part.image) }
        : { ...part, data: await render(part.data), filename: await render(part.filename) },
  );
  return [...(await Promise.all(parts)), { type: 'text', text: prompt }];
}
