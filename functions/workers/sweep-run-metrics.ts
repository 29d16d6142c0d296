import type { Context } from 'aws-lambda';
import { metricsSweepRequirements, sweepRunMetrics } from '../../shared/domain/run-metrics/sweep-metrics.ts';
import { lostRuns } from '../../shared/execution/dispatch/lost-runs.ts';
import { combineRequirements } from '../../shared/platform/aws/uses.ts';
import { toWorker } from '../../shared/platform/aws/worker.ts';
import { productionRuntime } from '../../shared/platform/runtime.ts';

export const requirements = combineRequirements(metricsSweepRequirements, lostRuns);

/** Scheduled. Ends the runs of crashed processes that nothing else knows of, and adds up the runs of hours and days that are over. */
const handle = (_event: object, context: Context): Promise<void> =>
  sweepRunMetrics(
    productionRuntime(),
    new Date(),
    () => context.getRemainingTimeInMillis(),
    (scope, hour) => lostRuns(scope)(hour),
  );

export const handler = toWorker('sweep-run-metrics', handle);
