import * as z from 'zod';
import { sweepKeys } from '../../platform/cleanup/sweeps.ts';
import { defineEntity } from '../../platform/data/entity.ts';
import type { TenantTable } from '../../platform/data/table.ts';
import type { Write } from '../../platform/data/writes.ts';
import { type Agent, agentKeysRange } from './config/agent.ts';
import { agentCardUrl } from './external-card.ts';

export const cardSweep = 'CARD';

/** When the sweep refreshes the card of an agent. */
const CardSchedule = z.object({
  id: z.string(),
  dueAt: z.string(),
  /** Since the last success. */
  failures: z.int(),
});

export const cardScheduleEntity = defineEntity({
  type: 'cardSchedule',
  schema: CardSchedule,
  key: ({ id }: { id: string }) => ({ PK: agentKeysRange(id).partition, SK: 'CARD' }),
  index: ({ id, dueAt }) => sweepKeys(cardSweep, id, dueAt),
});

type Scheduled = Pick<Agent, 'agentType' | 'externalConfig'>;

/** The minutes between two refreshes; undefined if the card is not refreshed. */
export const refreshIntervalMinutes = (agent: Scheduled) =>
  agentCardUrl(agent) ? agent.externalConfig?.refreshIntervalMinutes : undefined;

/** The writes that keep the schedule of an agent when it changes. Null: it does not exist. */
export function cardScheduleWrites(
  { writes }: TenantTable,
  id: string,
  { before, after, now }: { before: Scheduled | null; after: Scheduled | null; now: Date },
): Write[] {
  const [old, interval] = [before && refreshIntervalMinutes(before), after && refreshIntervalMinutes(after)];
  if (old === interval || (!old && !interval)) return [];
  if (!interval) return [writes.remove(cardScheduleEntity, { id })];
  const dueAt = new Date(now.getTime() + interval * 60_000).toISOString();
  return [writes.put(cardScheduleEntity, { id, dueAt, failures: 0 })];
}
