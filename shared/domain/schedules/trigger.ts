import { type ErrorDetail, invalid } from '../../core/errors/errors.ts';
import type { Trigger } from './next-time.ts';
import type { Schedule } from './schedule.ts';
import type { ScheduleChanges } from './schedule-body.ts';

/** EventBridge Scheduler is up to a minute late, and skips times that a clock does not show: then the sweep fires. */
const graceMs = 90_000;

/** When the sweep looks at a schedule of which EventBridge Scheduler knows the current state. */
export const computeSweepAt = ({ nextRunAt }: Pick<Schedule, 'nextRunAt'>) =>
  nextRunAt === null ? null : new Date(Date.parse(nextRunAt) + graceMs).toISOString();

/** How soon the sweep tells EventBridge Scheduler of a change if the process that made it could not. */
const repairMs = 60_000;

export const computeRepairAt = (now: Date) => new Date(now.getTime() + repairMs).toISOString();

type Records = Pick<Schedule, 'recordIds' | 'recordType' | 'recordFilter'>;
export type Edited = Trigger & Records & Pick<Schedule, 'flowId' | 'executionOptions'>;

/** A trigger of another type replaces the old time, and a selector the others, so that a caller need not clear them. */
export function mergeSchedule(before: Edited, changes: ScheduleChanges): Edited {
  const type = changes.triggerType ?? before.triggerType;
  const isSame = type === before.triggerType;
  const selectors = {
    recordIds: listOrNull(changes.recordIds),
    recordType: changes.recordType,
    recordFilter: changes.recordFilter,
  };
  const isReplaced = Object.values(selectors).some((selector) => selector != null);
  const mergeSelector = <T>(sent: T | undefined, current: T | null) =>
    sent === undefined ? (isReplaced ? null : current) : sent;
  const mergeTime = <T>(sent: T | undefined, current: T, isOfType: boolean) =>
    sent === undefined ? (isSame || isOfType ? current : null) : sent;
  return {
    flowId: changes.flowId ?? before.flowId,
    triggerType: type,
    cron: mergeTime(changes.cron, before.cron, type === 'recurring'),
    runAt: mergeTime(changes.runAt, before.runAt, type === 'one_time'),
    timezone: changes.timezone === undefined ? before.timezone : changes.timezone,
    enabled: changes.enabled ?? before.enabled,
    recordIds: mergeSelector(selectors.recordIds, before.recordIds),
    recordType: mergeSelector(selectors.recordType, before.recordType),
    recordFilter: mergeSelector(selectors.recordFilter, before.recordFilter),
    executionOptions: changes.executionOptions ?? before.executionOptions,
  };
}

const listOrNull = (list: string[] | undefined) => (list?.length === 0 ? null : list);

export const isRetimed = (before: Trigger, after: Trigger) =>
  (['triggerType', 'cron', 'runAt', 'timezone', 'enabled'] as const).some(
    (member) => before[member] !== after[member],
  );

/** @throws 400 if the members do not fit each other. @param now If given, `runAt` must be later. */
export function assertConsistent(schedule: Edited, now: Date | undefined): void {
  const details = [...findTriggerProblems(schedule, now), ...findSelectorProblems(schedule)];
  if (details.length > 0) throw invalid(details);
}

function findTriggerProblems({ triggerType, cron, runAt }: Trigger, now: Date | undefined): ErrorDetail[] {
  const [needed, other] =
    triggerType === 'recurring'
      ? ([
          { path: 'cron', value: cron },
          { path: 'runAt', value: runAt },
        ] as const)
      : ([
          { path: 'runAt', value: runAt },
          { path: 'cron', value: cron },
        ] as const);
  const problems: ErrorDetail[] = [];
  if (needed.value === null) {
    const message = `A ${triggerType} schedule needs ${needed.path}`;
    problems.push({ path: needed.path, code: 'MISSING_REQUIRED_FIELD', message });
  }
  if (other.value !== null) {
    const message = `A ${triggerType} schedule takes no ${other.path}. Omit it, or send null`;
    problems.push({ path: other.path, code: 'INVALID_VALUE', message });
  }
  if (now && triggerType === 'one_time' && runAt !== null && runAt <= now.toISOString()) {
    problems.push({ path: 'runAt', code: 'IN_THE_PAST', message: 'runAt must be in the future' });
  }
  return problems;
}

function findSelectorProblems(records: Records): ErrorDetail[] {
  const [, second] = (['recordIds', 'recordType', 'recordFilter'] as const).filter(
    (member) => records[member] !== null,
  );
  if (!second) return [];
  const message = 'Select records by one of recordIds, recordType and recordFilter';
  return [{ path: second, code: 'SEVERAL_TARGETS', message }];
}
