import { collect, type ModelMessage, type ModelReasoning } from '../../adapters/ports/model-port.ts';
import type { Ports } from '../../adapters/ports/ports.ts';

/** Whose memory, and with what to work on it. */
export interface MemoryAccess {
  ports: Pick<Ports, 'memory' | 'embed' | 'model'>;
  profile: string;
  /** Only the memories of this session of the profile. */
  session?: string | undefined;
  /** Answers questions and writes summaries. */
  model: string;
  signal: AbortSignal;
}

const timeoutMs = 120_000;
const limitTime = (signal: AbortSignal) => AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);

/** @throws StepError */
export async function embedText(
  { ports, signal }: Pick<MemoryAccess, 'ports' | 'signal'>,
  model: string,
  text: string,
): Promise<number[]> {
  const { vectors } = await ports.embed({ model, texts: [text], signal: limitTime(signal) });
  return vectors[0] ?? [];
}

/** What the model answers. @throws StepError */
export async function askMemoryModel(
  { ports, model, signal }: MemoryAccess,
  {
    instruction,
    prompt,
    reasoning,
  }: { instruction: string; prompt: string; reasoning?: ModelReasoning | undefined },
): Promise<string> {
  const messages: ModelMessage[] = [
    { role: 'system', content: instruction },
    { role: 'user', content: prompt },
  ];
  const request = { model, messages, reasoning, streamed: false, signal: limitTime(signal) };
  return (await collect(ports.model.stream(request))).text.trim();
}
