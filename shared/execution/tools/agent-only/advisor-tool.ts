import * as z from 'zod';
import type { ModelMessage } from '../../../adapters/ports/model-port.ts';
import type { Ports } from '../../../adapters/ports/ports.ts';
import { truncate } from '../../../core/text.ts';
import { toTranscript } from '../../agent-loop/compaction.ts';
import { askAdvisor } from '../../tool-support/ask-advisor.ts';
import type { RunnableTool } from '../call-tool.ts';
import { defineAgentTool } from './agent-tool.ts';

const conversationCharactersMax = 200_000;

/** @param conversation The messages of the run so far, which the advisor reads if the agent wants it. */
export const askAdvisorTool = (
  ports: Pick<Ports, 'model'>,
  advisor: { model: string; systemPrompt?: string | undefined },
  conversation: () => readonly ModelMessage[],
): RunnableTool =>
  defineAgentTool({
    name: 'ask_advisor',
    description:
      'Asks an advisor, who is another model, for a plan, a review or an opinion on a hard question. The advisor has no tools, and knows only what you tell it, or also this conversation if you include it.',
    parameters: z.strictObject({
      question: z
        .string()
        .trim()
        .min(1)
        .max(20_000)
        .meta({ description: 'The question, with what the advisor needs to know' }),
      includeConversation: z
        .boolean()
        .optional()
        .meta({ description: 'Whether the advisor also reads this conversation. Default: false' }),
    }),
    type: 'advisor',
    repeatable: true,
    async perform({ question, includeConversation }, signal) {
      const text = includeConversation ? latest(toTranscript(conversation())) : undefined;
      return { output: await askAdvisor({ ...advisor, question, conversation: text }, { ports, signal }) };
    },
  });

/** The last lines that fit. */
function latest(lines: readonly string[]): string {
  let room = conversationCharactersMax;
  const from = lines.findLastIndex((line) => {
    room -= line.length + 1;
    return room < 0;
  });
  return truncate(lines.slice(from + 1).join('\n'), conversationCharactersMax);
}
