import { jobFileDays, jobFiles } from '../shared/domain/jobs/job-files.ts';
import { listedSeconds } from '../shared/domain/listed-seconds.ts';
import { exportDays, exportPayloads } from '../shared/domain/telemetry/run-export.ts';
import { toolPayloads } from '../shared/domain/tools/tool-run-store.ts';
import type { EnvironmentName } from './environments.ts';

/** The resources of the service: CDK creates them on AWS, the embedded stack emulates them. */

export const tableSchema = {
  partitionKey: 'PK',
  sortKey: 'SK',
  timeToLive: 'ttl',
  indexes: [
    { name: 'GSI1', partitionKey: 'PK1', sortKey: 'SK1', projected: ['summary'] },
    { name: 'GSI2', partitionKey: 'PK2', sortKey: 'SK2', projected: ['summary'] },
  ],
} as const;

/**
 * For how many seconds the payload bucket keeps what items name that expire by themselves, by its prefix: on AWS a rule of the
 * bucket, on the embedded stack the deletion of the item, and of the files of jobs a rule too.
 */
export const expiringPayloads: Readonly<Record<string, number>> = {
  [toolPayloads]: listedSeconds,
  [exportPayloads]: exportDays * 86_400,
  [jobFiles]: jobFileDays * 86_400,
};

/** What was uploaded in parts and never completed, in every bucket. */
export const unfinishedUploadDays = 1;

/** Where a stack runs: `local` is the embedded stack. */
export type Stage = 'local' | EnvironmentName;

export interface QueueSpec {
  fifo: boolean;
  /** The Lambda that consumes the queue: `functions/workers/<name>.ts`. */
  worker: string;
  batchSize: number;
  timeoutSeconds: number;
  /**
   * How long a received message stays invisible. By default six times the Lambda's timeout, as AWS advises: the rest is
   * for deliveries that Lambda throttles.
   */
  visibilitySeconds?: number;
  /** Whether the worker sets the time of a failed message's next delivery itself. */
  setsRetryTime?: true;
  /** The most invocations at a time. */
  maxConcurrency: Record<Stage, number>;
  /** The environment variable with the queue's URL. */
  env: `${string}_URL`;
  /** The number of deliveries before a message moves to the dead-letter queue. */
  maxReceiveCount: number;
  /** The Lambda that consumes the dead-letter queue. */
  deadLetterWorker: string;
  /** The Lambdas with which its workers share a role and a log. By default all workers do. */
  group?: string;
  /** Whether its worker mostly waits, so that with `workers=managed` several invocations share a process (D294). */
  waits?: true;
}

/** A dead-letter queue is consumed one message at a time, so that no message repeats another's failure. */
export const deadLetters = { batchSize: 1, timeoutSeconds: 60, maxConcurrency: 2 } as const;

export const queues = {
  plan: {
    fifo: true,
    worker: 'plan-batch',
    batchSize: 1,
    timeoutSeconds: 300,
    maxConcurrency: { local: 2, dev: 5, staging: 5, prod: 10 },
    env: 'PLAN_QUEUE_URL',
    maxReceiveCount: 5,
    deadLetterWorker: 'retry-plan',
  },
  runs: {
    fifo: true,
    worker: 'run-record',
    // The maximum for a FIFO queue, although one invocation handles the records of a slot in sequence.
    batchSize: 10,
    timeoutSeconds: 900,
    // Not 90 minutes: so long would an invocation that dies block its slots. The six times are meant for throttled
    // deliveries, which `maxConcurrency` prevents, and a lease keeps two deliveries of a run apart
    // (`shared/execution/batches/run-lease.ts`) (D51).
    visibilitySeconds: 960,
    setsRetryTime: true,
    // More than one tenant can occupy (`tenantSlots` and `tenantBatchesMax` of `slot-sharing.ts`).
    maxConcurrency: { local: 10, dev: 150, staging: 250, prod: 250 },
    env: 'RUNS_QUEUE_URL',
    waits: true,
    maxReceiveCount: 5,
    deadLetterWorker: 'fail-record',
  },
  wakes: {
    fifo: false,
    worker: 'wake-run',
    batchSize: 10,
    timeoutSeconds: 60,
    maxConcurrency: { local: 2, dev: 10, staging: 20, prod: 30 },
    env: 'WAKES_QUEUE_URL',
    maxReceiveCount: 10,
    deadLetterWorker: 'retry-wake',
  },
  agents: {
    fifo: false,
    worker: 'run-agent',
    batchSize: 1,
    timeoutSeconds: 900,
    // As for `runs`: the lease of an execution keeps two deliveries apart.
    visibilitySeconds: 960,
    maxConcurrency: { local: 50, dev: 50, staging: 100, prod: 150 },
    env: 'AGENTS_QUEUE_URL',
    waits: true,
    maxReceiveCount: 5,
    deadLetterWorker: 'fail-agent-run',
  },
  schedules: {
    fifo: false,
    worker: 'fire-schedule',
    batchSize: 10,
    timeoutSeconds: 60,
    maxConcurrency: { local: 4, dev: 10, staging: 20, prod: 30 },
    env: 'SCHEDULES_QUEUE_URL',
    maxReceiveCount: 5,
    deadLetterWorker: 'report-schedule',
  },
  deliveries: {
    fifo: false,
    worker: 'deliver-webhook',
    batchSize: 10,
    timeoutSeconds: 30,
    maxConcurrency: { local: 8, dev: 10, staging: 20, prod: 40 },
    env: 'DELIVERIES_QUEUE_URL',
    maxReceiveCount: 5,
    deadLetterWorker: 'report-delivery',
  },
  telemetry: {
    fifo: false,
    worker: 'export-telemetry',
    batchSize: 10,
    timeoutSeconds: 60,
    // A lease keeps two deliveries apart, and the collector is to have a run soon after a crash too.
    visibilitySeconds: 90,
    maxConcurrency: { local: 8, dev: 10, staging: 20, prod: 40 },
    env: 'TELEMETRY_QUEUE_URL',
    maxReceiveCount: 5,
    deadLetterWorker: 'report-delivery',
  },
  cleanup: {
    fifo: false,
    worker: 'clean-up',
    batchSize: 1,
    timeoutSeconds: 900,
    maxConcurrency: { local: 2, dev: 5, staging: 5, prod: 10 },
    env: 'CLEANUP_QUEUE_URL',
    maxReceiveCount: 5,
    deadLetterWorker: 'retry-cleanup',
  },
  jobs: {
    fifo: false,
    worker: 'run-job',
    batchSize: 1,
    timeoutSeconds: 600,
    // What is delivered twice at once is stored once (`shared/execution/imports/store-chunk.ts`), or has a lease.
    visibilitySeconds: 630,
    maxConcurrency: { local: 16, dev: 8, staging: 20, prod: 18 },
    env: 'JOBS_QUEUE_URL',
    maxReceiveCount: 5,
    deadLetterWorker: 'fail-job',
  },
  migrations: {
    fifo: false,
    worker: 'migrate',
    batchSize: 1,
    timeoutSeconds: 300,
    // The lowest that Lambda accepts.
    maxConcurrency: { local: 2, dev: 2, staging: 2, prod: 2 },
    env: 'MIGRATIONS_QUEUE_URL',
    maxReceiveCount: 5,
    deadLetterWorker: 'stop-migration',
    // They may read every item, which no Lambda that runs the flows of tenants should.
    group: 'migrations',
  },
} as const satisfies Record<string, QueueSpec>;

/** Where the workers run that mostly wait: on Lambda itself, or on Lambda Managed Instances. */
export const workerHosts = ['lambda', 'managed'] as const;
export type WorkerHost = (typeof workerHosts)[number];

/** How much of Lambda's concurrency the event sources of an environment occupy at most. Instances take none of it. */
export const workersMax = (stage: Stage, host: WorkerHost = 'lambda'): number =>
  Object.values<QueueSpec>(queues).reduce(
    (sum, { maxConcurrency, waits }) =>
      sum + (waits && host === 'managed' ? 0 : maxConcurrency[stage]) + deadLetters.maxConcurrency,
    0,
  );

export const queueVisibilitySeconds = ({
  timeoutSeconds,
  visibilitySeconds,
}: Pick<QueueSpec, 'timeoutSeconds' | 'visibilitySeconds'>) => visibilitySeconds ?? 6 * timeoutSeconds;

/**
 * The workers that take part in a chain of messages again and again, each with the reason and with what ends its chain.
 * Lambda stops the 17th invocation of any other function in one chain (SQS, SNS, S3 and Lambda carry the count; Scheduler
 * and EventBridge do not), after which its message goes to the dead-letter queue.
 */
export const recursiveWorkers: Readonly<Record<string, string>> = {
  'plan-batch': 'Sends itself the next page of a large batch. `PlanMessage.round` ends the chain.',
  'run-record': 'Sets a timer for each poll of a wait. `RunMessage.polls` ends the chain.',
  migrate:
    'Requests the next pages of its walk. The walk moves forward only, and ends at the last item of the table.',
  'run-agent':
    "Hands a long run over to itself, and asks again for one beyond its tenant's places. The time limit of the run ends the chain, or its cancellation.",
  'deliver-webhook':
    "Asks again for a delivery that failed, or that is beyond its tenant's places. The last attempt of the delivery ends the chain: each lasts seconds, so that places become free.",
  'export-telemetry':
    "Asks again for an export that failed, or that is beyond its tenant's places. The hour after the end of the run ends the chain; later, the first attempt in which the collector accepts nothing.",
  'run-job':
    'Sends itself the next chunk of an import, and hands a long reading over to itself. The end of the file ends the chain.',
  'wake-run': 'Resumes the run of each timer, whose chain `run-record` ends.',
};

// D57
export const recursiveLoopSetting = (worker: string) =>
  Object.hasOwn(recursiveWorkers, worker) ? 'Allow' : 'Terminate';

/** The environment variable with a queue's ARN, next to the one with its URL. */
export const queueArnEnv = <Env extends string>({ env }: { env: `${Env}_URL` }) =>
  env.replace(/_URL$/, '_ARN') as `${Env}_ARN`;

/** How many of a worker's places a tenant may take, so that three others at least find one however slow its work is. */
export const tenantPlaces = ({ maxConcurrency }: QueueSpec, stage: Stage): number =>
  Math.floor(maxConcurrency[stage] / 4);

export const tenantPlacesEnv = <Env extends string>({ env }: { env: `${Env}_QUEUE_URL` }) =>
  env.replace(/_QUEUE_URL$/, '_TENANT_PLACES') as `${Env}_TENANT_PLACES`;

export type QueueName = keyof typeof queues;

/** The scheduled Lambdas, `functions/workers/<name>.ts`, and their intervals. */
export const timers = [
  { worker: 'sweep', everyMinutes: 15, timeoutSeconds: 300 },
  { worker: 'sweep-agents', everyMinutes: 1, timeoutSeconds: 60 },
  { worker: 'sweep-schedules', everyMinutes: 1, timeoutSeconds: 60 },
  { worker: 'sweep-inbox', everyMinutes: 1, timeoutSeconds: 60 },
  { worker: 'evaluate-alerts', everyMinutes: 1, timeoutSeconds: 60 },
  { worker: 'sweep-deliveries', everyMinutes: 1, timeoutSeconds: 60 },
  { worker: 'sweep-run-metrics', everyMinutes: 5, timeoutSeconds: 300 },
] as const;
