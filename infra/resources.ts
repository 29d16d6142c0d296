/** What the service runs on, said once: CDK makes these on AWS, the embedded stack makes them here. */

export const tableSchema = {
  partitionKey: 'PK',
  sortKey: 'SK',
  timeToLive: 'ttl',
  indexes: [
    { name: 'GSI1', partitionKey: 'PK1', sortKey: 'SK1', projected: ['summary'] },
    { name: 'GSI2', partitionKey: 'PK2', sortKey: 'SK2', projected: ['summary'] },
  ],
} as const;

export interface QueueSpec {
  fifo: boolean;
  /** The Lambda that takes its messages: `functions/workers/<name>.ts`. */
  worker: string;
  batchSize: number;
  timeoutSeconds: number;
  /** The environment variable under which the other Lambdas find its URL. */
  env: `${string}_URL`;
  /** How often a message is tried before it goes to the dead-letter queue. */
  maxReceiveCount: number;
  /** The Lambda that takes what was given up on. */
  deadLetterWorker?: string;
}

export const queues = {
  plan: {
    fifo: true,
    worker: 'plan-batch',
    batchSize: 1,
    timeoutSeconds: 300,
    env: 'PLAN_QUEUE_URL',
    // What ends in the dead-letter queue is planned by the sweeper.
    maxReceiveCount: 5,
  },
  runs: {
    fifo: true,
    worker: 'run-record',
    // The most of a FIFO queue, though the records of one slot run one after another within the time of one invocation.
    batchSize: 10,
    timeoutSeconds: 900,
    env: 'RUNS_QUEUE_URL',
    maxReceiveCount: 5,
    deadLetterWorker: 'fail-record',
  },
  wakes: {
    fifo: false,
    worker: 'wake-run',
    batchSize: 10,
    timeoutSeconds: 60,
    env: 'WAKES_QUEUE_URL',
    maxReceiveCount: 10,
  },
  cleanup: {
    fifo: false,
    worker: 'clean-up',
    batchSize: 1,
    timeoutSeconds: 900,
    env: 'CLEANUP_QUEUE_URL',
    maxReceiveCount: 5,
  },
} as const satisfies Record<string, QueueSpec>;

/** The environment variable with a queue's ARN, beside the one with its URL. */
export const queueArnEnv = <Env extends string>({ env }: { env: `${Env}_URL` }) =>
  env.replace(/_URL$/, '_ARN') as `${Env}_ARN`;

export type QueueName = keyof typeof queues;

/** What runs by the clock: the Lambda `functions/workers/<name>.ts`, and how often. */
export const timers = [{ worker: 'sweep', everyMinutes: 15, timeoutSeconds: 300 }] as const;
