import { sharedTexts } from '../../../texts/shared.ts';
import type { Step } from './steps.ts';

const textOf = (value: unknown) => (typeof value === 'string' ? value : '');

/** The member that has the user's message: `text` is an alias of `userPrompt`. */
export const userMember = ({ config }: Pick<Step, 'config'>) =>
  config?.text !== undefined && config?.userPrompt === undefined ? 'text' : 'userPrompt';

export const promptTexts = ({ config }: Pick<Step, 'config'>) => ({
  system: textOf(config?.systemPrompt),
  user: textOf(config?.[userMember({ config })]),
});

export const previewIds = { system: 'preview-system', user: 'preview-user' } as const;

/** Steps that render the messages of a prompt, and cost nothing. Templates take no secrets, whose values stay hidden anyway. */
export function previewSteps(step: Step): Step[] {
  const texts = promptTexts(step);
  return (['system', 'user'] as const).flatMap((role) =>
    texts[role].trim() === ''
      ? []
      : [
          {
            id: previewIds[role],
            type: 'template',
            name: role === 'system' ? sharedTexts.systemMessage : sharedTexts.userMessage,
            config: { template: withoutSecrets(texts[role]), errorHandling: { onError: 'continue' } },
          },
        ],
  );
}

const withoutSecrets = (text: string) =>
  text.replaceAll(/\{\{-?\s*secret:([^\s}|]+)[^}]*\}\}/g, '••••• ($1)');
