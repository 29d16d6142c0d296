import type { Ports } from '../../adapters/ports/ports.ts';
import type { AgentConfig } from '../../domain/agents/config/agent-config.ts';
import type { FactOf } from '../agent-loop/facts.ts';
import { elapsedText, nowText } from '../agent-loop/temporal.ts';
import { summaryFor } from '../memory/summary-for.ts';
import type { RunInput } from './log/run-input.ts';

export interface Context {
  config: AgentConfig;
  input: RunInput;
  modelName: string;
  ports: Ports;
  /** About tools that are not available. */
  warnings: readonly string[];
  now: Date;
  signal: AbortSignal;
}

/** What an agent is told before its first turn, beside its system prompt. Empty if there is nothing. @throws StepError */
export async function loadAgentContext(
  context: Context,
): Promise<Pick<FactOf<'context'>, 'text' | 'question'>> {
  const { config, input, warnings, now } = context;
  const { temporal = {} } = config;
  const previous = input.previousMessageAt === undefined ? undefined : new Date(input.previousMessageAt);
  const question = joined([nowText(temporal, now), elapsedText(temporal, previous, now)]);
  const text = joined([await memoryText(context), ...warnings]);
  return { text, ...(question && { question }) };
}

const joined = (texts: readonly (string | undefined)[]) => texts.filter(Boolean).join('\n\n');

async function memoryText({ config: { memory }, input, modelName, ports, signal }: Context) {
  if (!memory?.enabled || memory.injectSummary === false) return undefined;
  return summaryFor({ ports, profile: input.profile, model: modelName, signal });
}
