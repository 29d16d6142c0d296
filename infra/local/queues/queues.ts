import { randomBytes } from 'node:crypto';
import { jobFiles } from '../../../shared/domain/jobs/job-files.ts';
import {
  expiringPayloads,
  type QueueName,
  type QueueSpec,
  queues,
  unfinishedUploadDays,
} from '../../resources.ts';
import { accountId, assetBucket, credentials, payloadBucket, region } from '../runtime/account.ts';
import { forkModule, processEnd } from '../runtime/guarded-process.ts';
import { heapMegabytes } from '../runtime/memory.ts';
import { StartError } from '../runtime/start-error.ts';
import type { QueueServerOptions } from './queue-server.ts';

export interface LocalQueue {
  name: QueueName;
  spec: QueueSpec;
  url: string;
  arn: string;
  deadLetter: { url: string; arn: string };
}

/** Starts SQS and S3 in a child process, with every queue of `infra/resources.ts` and the buckets. */
export async function startQueues(dataDir: string | undefined) {
  // Signed addresses name the port of this server, so a later one needs no old secret.
  const serviceCredentials = { ...credentials, secretAccessKey: randomBytes(30).toString('base64url') };
  const options: QueueServerOptions = {
    dataDir,
    region,
    queues: Object.entries(queues).flatMap(([name, spec]) => definitions(name, spec)),
    buckets: [payloadBucket, assetBucket],
    credentials: serviceCredentials,
    toolCredentials: credentials,
    objectFiles: {
      bucket: payloadBucket,
      prefix: jobFiles,
      keptSeconds: expiringPayloads[jobFiles] as number,
      uploadSeconds: unfinishedUploadDays * 86_400,
    },
  };
  const file = new URL('./queue-server.ts', import.meta.url);
  const child = forkModule(file, heapMegabytes.queues(), 'ignore');
  const ended = processEnd(child);
  const port = await new Promise<number>((resolve, reject) => {
    child.once('message', (message) => resolve((message as { port: number }).port));
    ended.then(() =>
      reject(new StartError('The SQS and S3 server (fauxqs) did not start. Its error output is above.')),
    );
    // Without a channel if it could not be started.
    if (child.connected) child.send(options);
  });
  const endpoint = `http://127.0.0.1:${port}`;
  return {
    endpoint,
    credentials: serviceCredentials,
    queues: Object.entries(queues).map(([name, spec]) => localQueue(endpoint, name as QueueName, spec)),
    ended,
    async stop() {
      if (child.connected) child.send('stop', () => child.disconnect());
      await ended;
    },
  };
}

/** The URL of a queue for the SDK: the server reads only the last path segment. */
export const localQueueUrl = (arn: string) =>
  `${process.env.AWS_ENDPOINT_URL_SQS}/${accountId}/${arn.split(':').at(-1)}`;

export const fifoAttributes = {
  FifoQueue: 'true',
  DeduplicationScope: 'messageGroup',
  FifoThroughputLimit: 'perMessageGroupId',
};

const nameOf = (name: string, { fifo }: QueueSpec) => (fifo ? `${name}.fifo` : name);

const arnOf = (name: string) => `arn:aws:sqs:${region}:${accountId}:${name}`;

function definitions(name: string, spec: QueueSpec): QueueServerOptions['queues'] {
  const deadLetter = nameOf(`${name}-dead`, spec);
  const { maxReceiveCount } = spec;
  const attributes: Record<string, string> = spec.fifo ? fifoAttributes : {};
  const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: arnOf(deadLetter), maxReceiveCount });
  return [
    { name: deadLetter, attributes },
    { name: nameOf(name, spec), attributes: { ...attributes, RedrivePolicy } },
  ];
}

function localQueue(endpoint: string, name: QueueName, spec: QueueSpec): LocalQueue {
  // Not the URL from the server: its host name does not resolve on every machine.
  const at = (queue: string) => ({ url: `${endpoint}/${accountId}/${queue}`, arn: arnOf(queue) });
  return { name, spec, ...at(nameOf(name, spec)), deadLetter: at(nameOf(`${name}-dead`, spec)) };
}
