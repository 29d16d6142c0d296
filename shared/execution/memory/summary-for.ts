import type { MemoryAccess } from './access.ts';
import { memorySummary } from './memory-summary.ts';
import { toInjectedSummary } from './prompts.ts';

/** The part of a system prompt with the summary of a memory; undefined without memories. @throws StepError */
export async function loadSummary(memory: MemoryAccess): Promise<string | undefined> {
  const summary = await memorySummary(memory);
  return summary && toInjectedSummary(summary);
}
