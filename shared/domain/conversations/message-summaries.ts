import { truncate } from '../../core/text.ts';
import { using } from '../../platform/aws/uses.ts';
import { onConditionFailed } from '../../platform/data/condition-failed.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { messageEntity } from './message-items.ts';

/** An item has 400 KB, and the content of its message up to half of that. */
const instructionsMax = 30_000;

export interface Summary {
  summary: string;
  /** The texts of their system messages; cut at 30,000 characters. */
  instructions: string;
}

/** Summaries of conversations. Each belongs to the last message that it covers. */
export const messageSummaries = /* @__PURE__ */ using(['table:write'], ({ table }: Scope) => ({
  /** Stores a summary, unless its message is gone. */
  async store(
    place: { conversationId: string; generation: string; number: number },
    { summary: summaryToHere, instructions }: Summary,
  ): Promise<void> {
    const instructionsToHere = truncate(instructions, instructionsMax) || undefined;
    const exists = { expression: 'attribute_exists(PK)' };
    const set = { summaryToHere, instructionsToHere };
    await table
      .commit([table.writes.update(messageEntity, place, { set }, exists)])
      .catch(onConditionFailed(undefined));
  },
}));
