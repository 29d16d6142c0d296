import type { Requirements } from '../../shared/platform/aws/uses.ts';
import * as cleanUp from './clean-up.ts';
import * as deliverWebhook from './deliver-webhook.ts';
import * as evaluateAlerts from './evaluate-alerts.ts';
import * as exportTelemetry from './export-telemetry.ts';
import * as failAgentRun from './fail-agent-run.ts';
import * as failJob from './fail-job.ts';
import * as failRecord from './fail-record.ts';
import * as fireSchedule from './fire-schedule.ts';
import * as migrate from './migrate.ts';
import * as planBatch from './plan-batch.ts';
import * as reportDelivery from './report-delivery.ts';
import * as reportSchedule from './report-schedule.ts';
import * as retryCleanup from './retry-cleanup.ts';
import * as retryPlan from './retry-plan.ts';
import * as retryWake from './retry-wake.ts';
import * as runAgent from './run-agent.ts';
import * as runJob from './run-job.ts';
import * as runRecord from './run-record.ts';
import * as stopMigration from './stop-migration.ts';
import * as sweep from './sweep.ts';
import * as sweepAgents from './sweep-agents.ts';
import * as sweepDeliveries from './sweep-deliveries.ts';
import * as sweepInbox from './sweep-inbox.ts';
import * as sweepRunMetrics from './sweep-run-metrics.ts';
import * as sweepSchedules from './sweep-schedules.ts';
import * as wakeRun from './wake-run.ts';

/** All Lambdas that a queue, a schedule or an operator invokes, by file name. */
export const workers: Readonly<Record<string, { requirements: Requirements }>> = {
  'clean-up': cleanUp,
  'deliver-webhook': deliverWebhook,
  'evaluate-alerts': evaluateAlerts,
  'export-telemetry': exportTelemetry,
  'fail-agent-run': failAgentRun,
  'fail-job': failJob,
  'fail-record': failRecord,
  'fire-schedule': fireSchedule,
  migrate,
  'plan-batch': planBatch,
  'report-delivery': reportDelivery,
  'report-schedule': reportSchedule,
  'retry-cleanup': retryCleanup,
  'retry-plan': retryPlan,
  'retry-wake': retryWake,
  'run-agent': runAgent,
  'run-job': runJob,
  'run-record': runRecord,
  'stop-migration': stopMigration,
  sweep,
  'sweep-agents': sweepAgents,
  'sweep-deliveries': sweepDeliveries,
  'sweep-inbox': sweepInbox,
  'sweep-run-metrics': sweepRunMetrics,
  'sweep-schedules': sweepSchedules,
  'wake-run': wakeRun,
};
