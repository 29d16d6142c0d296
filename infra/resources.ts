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

export interface QueueSpec {
  fifo: boolean;
  /** The Lambda that consumes the queue: `functions/workers/<name>.ts`. */
  worker: string;
  batchSize: number;
  timeoutSeconds: number;
  /** The environment variable with the queue's URL. */
  env: `${string}_URL`;
  /** The number of deliveries before a message moves to the dead-letter queue. */
  maxReceiveCount: number;
  /** The Lambda that consumes the dead-letter queue. */
  deadLetterWorker?: string;
}

export const queues = {
  plan: {
    fifo: true,
    worker: 'plan-batch',
    batchSize: 1,
    timeoutSeconds: 300,
    env: 'PLAN_QUEUE_URL',
    // The sweep plans the messages of this dead-letter queue again.
    maxReceiveCount: 5,
  },
  runs: {
    fifo: true,
    worker: 'run-record',
    // The maximum for a FIFO queue, although one invocation handles the records of a slot in sequence.
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

/** The environment variable with a queue's ARN, next to the one with its URL. */
export const queueArnEnv = <Env extends string>({ env }: { env: `${Env}_URL` }) =>
  env.replace(/_URL$/, '_ARN') as `${Env}_ARN`;

export type QueueName = keyof typeof queues;

/** The scheduled Lambdas, `functions/workers/<name>.ts`, and their intervals. */
export const timers = [{ worker: 'sweep', everyMinutes: 15, timeoutSeconds: 300 }] as const;
