import type { A2aPart } from '../../adapters/ports/a2a-port.ts';
import type { ModelMessage, ModelPort } from '../../adapters/ports/model-port.ts';
import type { Ports } from '../../adapters/ports/ports.ts';
import { StepError } from '../../core/errors/step-error.ts';
import type { ExternalConfig } from '../../domain/agents/config/external-config.ts';
import { toTranscript } from '../agent-loop/compaction.ts';
import { delegate } from '../external-agents/delegate.ts';

/** The name of an external agent where a run names its model. */
const modelUsed = 'a2a/external';

/** The agent's answer is the response. Only its server knows the cost. @param config With the credentials' value. */
export const externalModel = (ports: Ports, config: ExternalConfig): ModelPort => ({
  ...ports.model,
  limits: async () => ({}),
  alternatives: async () => [],
  async *stream({ messages, signal }) {
    const source = { modelUsed, keySource: 'custom' as const };
    for await (const event of delegate(ports, config, { parts: partsOf(messages), signal })) {
      if (event.type === 'text-delta') yield { type: 'text-delta', text: event.text };
      if (event.type !== 'end') continue;
      const { text } = event;
      return yield {
        type: 'finish',
        ...source,
        text,
        message: { role: 'assistant', content: text },
        stopReason: 'stop',
        usage: { inputTokens: 0, outputTokens: 0 },
        cost: '0',
      };
    }
    throw new StepError('The external agent ended without an answer');
  },
});

/** The last message of the user, after what was said before. */
function partsOf(messages: readonly ModelMessage[]): A2aPart[] {
  const last = messages.findLastIndex(({ role }) => role === 'user');
  const earlier = messages.slice(0, last).filter(({ role }) => role !== 'system');
  const said = earlier.length > 0 ? `The conversation so far:\n${toTranscript(earlier).join('\n')}` : '';
  return [...(said ? [{ text: said }] : []), ...contentOf(messages[last])];
}

function contentOf(message: ModelMessage | undefined): A2aPart[] {
  if (message?.role !== 'user') return [];
  const { content } = message;
  if (typeof content === 'string') return [{ text: content }];
  return content.map((part): A2aPart => {
    if (part.type === 'text') return { text: part.text };
    const { data, mediaType, filename = 'file' } = part;
    return { bytes: Buffer.from(data).toString('base64'), mediaType, filename };
  });
}
