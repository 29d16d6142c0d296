import type { Memory, NumberedMemory, SummaryOfMemories } from '../../adapters/ports/memory-port.ts';
import { decode } from '../../platform/data/entity.ts';
import { isConditionFailed } from '../../platform/data/retry-on-conflict.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { absent, type WriteCondition } from '../../platform/data/writes.ts';
import {
  type Generation,
  memoryEntity,
  memoryNumberEntity,
  memorySummaryEntity,
  numbersRange,
} from './memory.ts';

/** The memories that exist, in the order of the ids. */
export async function memoriesByIds(
  { table }: Scope,
  generation: Generation,
  ids: readonly string[],
): Promise<Memory[]> {
  if (ids.length === 0) return [];
  const items = await table.getMany(ids.map((id) => memoryEntity.key({ ...generation, id })));
  return items.flatMap((item) => {
    if (!item) return [];
    const { id, text, session, createdAt } = decode(memoryEntity, item);
    return [{ id, text, session, createdAt }];
  });
}

/** The next memories after a number, oldest first. Without those of other sessions, if one is given. */
export async function memoriesAfter(
  scope: Scope,
  generation: Generation,
  after: number,
  { session, limit }: { session: string | undefined; limit: number },
): Promise<{ memories: NumberedMemory[]; through: number }> {
  const range = numbersRange(generation, after + 1);
  const { items } = await scope.table.first(limit, { ...range, consistent: true });
  const numbers = items.map((item) => decode(memoryNumberEntity, item));
  const wanted = numbers.filter((each) => session === undefined || each.session === session);
  const numberOf = new Map(wanted.map(({ memoryId, number }) => [memoryId, number]));
  const memories = await memoriesByIds(scope, generation, [...numberOf.keys()]);
  return {
    memories: memories.map((memory) => ({ ...memory, number: numberOf.get(memory.id) ?? 0 })),
    through: numbers.at(-1)?.number ?? after,
  };
}

export async function storedSummary(
  { table }: Scope,
  generation: Generation,
  session: string | undefined,
): Promise<SummaryOfMemories | undefined> {
  const found = await table.get(memorySummaryEntity, { ...generation, session }, { consistent: true });
  return found && { text: found.text, through: found.through, session };
}

/** Stores a summary unless another run has stored one since `replaced` was read. */
export async function storeSummary(
  { table, now }: Scope,
  generation: Generation,
  summary: SummaryOfMemories,
  replaced: SummaryOfMemories | undefined,
): Promise<void> {
  const item = { ...generation, ...summary, updatedAt: now().toISOString() };
  const condition: WriteCondition = replaced
    ? { expression: '#through = :through', values: { through: replaced.through } }
    : absent;
  try {
    await table.commit([table.writes.put(memorySummaryEntity, item, condition)]);
  } catch (error) {
    if (!isConditionFailed(error)) throw error;
  }
}
