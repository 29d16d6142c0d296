import { noteClockJump } from '../../shared/core/earlier-process.ts';
import { log } from '../../shared/core/log.ts';
import { queues, timers } from '../resources.ts';
import { ensureCredentials, localUser } from './credentials.ts';
import { openDatabases } from './databases.ts';
import { startDynamoDb } from './dynamodb/dynamodb.ts';
import { startExpiry } from './dynamodb/expired-items.ts';
import { ensureTable } from './dynamodb/table.ts';
import { ownTable, scheduleGroups, setEnvironment, vectorBucket } from './environment.ts';
import { createGateway, type LocalRoute } from './gateway/gateway.ts';
import { serveGateway } from './gateway/serve.ts';
import { createIssuer, issuerPath } from './issuer.ts';
import { startMessages } from './messages/server.ts';
import { startPollers } from './queues/event-sources.ts';
import { localQueueUrl, startQueues } from './queues/queues.ts';
import { watchClock } from './runtime/clock-jumps.ts';
import { claimDataDir } from './runtime/data-dir.ts';
import { nearlyFullWarning } from './runtime/full-disk.ts';
import { invoke } from './runtime/invoke.ts';
import { enforceGrants } from './runtime/lambda-grants.ts';
import { checkOpenFiles } from './runtime/shortages.ts';
import { removeStaticFiles } from './runtime/static-files.ts';
import { startVectorsServer } from './s3-vectors/server.ts';
import { startScheduler } from './scheduler/server.ts';
import { startSecretsServer } from './secrets-manager/server.ts';

export interface StackOptions {
  /** 0 picks a free port. */
  port: number;
  host?: string;
  /** The directory of its state; in memory without it. */
  dataDir?: string | undefined;
  /** Starts without what its directory lacks: files, or the end of a damaged write-ahead log. */
  acceptLoss?: boolean | undefined;
  /** Gives the space of deleted data back before it starts. */
  compact?: boolean | undefined;
  /** Another table than its own, which is created unless it exists: a restored one, for instance. */
  tableName?: string | undefined;
  /** How many processes beside this one run the records of batches. Default: none, this one does. */
  workerProcesses?: number | undefined;
  /** Puts a server in front of the DynamoDB engine. @returns its endpoint */
  inFrontOfTable?: (endpoint: string) => Promise<string>;
  /** Called when one of its servers ends unexpectedly. The stack is unusable after that. */
  onFailure?: (what: string) => void;
}

/** The facts that `npm start -- --json` prints. */
export interface StackFacts {
  url: string;
  docs: string;
  console: string;
  liveKey: string;
  testKey: string;
  sessionToken: string;
  aws: {
    dynamodb: string;
    sqs: string;
    s3: string;
    s3Vectors: string;
    secretsManager: string;
    kms: string;
    scheduler: string;
    ses: string;
    sns: string;
    eventBridge: string;
  };
  table: string;
}

export interface Stack {
  facts: StackFacts;
  /** Warnings for the operator, one sentence each. */
  warnings: readonly string[];
  stop: () => Promise<void>;
}

/**
 * Starts everything. One stack per process: its Lambdas find its servers through `process.env`, as they find AWS when deployed.
 * They run in this process; those that run records, in `workerProcesses` of their own.
 */
export async function startStack(options: StackOptions): Promise<Stack> {
  const resources = new AsyncDisposableStack();
  let stopping: Promise<void> | undefined;
  const stop = () => {
    stopping ??= resources.disposeAsync();
    return stopping;
  };
  const warnings: string[] = [];
  try {
    const facts = await start(options, resources, warnings, (what) => {
      if (!stopping) options.onFailure?.(`${what} stopped unexpectedly`);
    });
    return { facts, warnings, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function start(
  {
    port,
    host = '127.0.0.1',
    dataDir,
    acceptLoss = false,
    compact = false,
    tableName = ownTable,
    workerProcesses,
    inFrontOfTable,
  }: StackOptions,
  resources: AsyncDisposableStack,
  warnings: string[],
  onEnd: (what: string) => void,
): Promise<StackFacts> {
  const warn = (text: string) => warnings.push(text);
  checkOpenFiles(warn);
  const claimed = dataDir === undefined ? undefined : claimDataDir(dataDir);
  resources.defer(() => claimed?.release());
  const directory = claimed?.path;
  const nearlyFull = directory === undefined ? undefined : nearlyFullWarning(directory);
  if (nearlyFull) warn(nearlyFull);
  const databases =
    directory === undefined ? undefined : openDatabases(directory, warn, { acceptLoss, compact });
  resources.defer(() => databases?.close());
  // Stops after the gateway, whose last requests still need it.
  const servers = resources.use(new AsyncDisposableStack());
  const routes = Promise.withResolvers<Record<string, LocalRoute>>();
  const gateway = createGateway(routes.promise);
  const { url, localUrl, warning, stop } = await serveGateway(gateway, port, host);
  resources.defer(stop);
  resources.defer(removeStaticFiles);
  if (warning) warn(warning);

  const { aws, credentials, queues, scheduler, messages } = await startServers(
    directory,
    servers,
    warn,
    onEnd,
  );
  if (inFrontOfTable) aws.dynamodb = await inFrontOfTable(aws.dynamodb);
  setEnvironment({ url, localUrl, tableName }, aws, credentials, queues);
  enforceGrants();
  const [issuer] = await Promise.all([
    createIssuer(localUrl + issuerPath, directory, localUser),
    ensureTable(tableName),
  ]);
  const keys = await ensureCredentials(directory);
  routes.resolve({ ...issuer.routes, ...messages.routes });
  resources.use(startPollers(queues, workerProcesses));
  resources.use(startTimers());
  resources.use(watchClock(reportClockJump));
  resources.use(startExpiry(tableName));
  scheduler.begin();
  databases?.watch();
  const sessionToken = await issuer.tokenOf({ userId: localUser });
  return {
    url,
    docs: `${url}/docs`,
    console: `${url}/console`,
    ...keys,
    sessionToken,
    aws,
    table: tableName,
  };
}

function reportClockJump(byMs: number): void {
  log.warn(
    `The clock of the machine was set ${byMs < 0 ? 'back' : 'forward'} by ${Math.round(Math.abs(byMs) / 1_000)} s`,
  );
  noteClockJump(byMs);
}

async function startServers(
  directory: string | undefined,
  servers: AsyncDisposableStack,
  warn: (text: string) => void,
  onEnd: (what: string) => void,
) {
  const starting = [
    startDynamoDb(directory),
    startQueues(directory),
    startSecretsServer(directory, warn),
    startVectorsServer(directory, [vectorBucket]),
    startMessages(directory),
    startScheduler(directory, localQueueUrl, scheduleGroups),
  ] as const;
  // Start concurrently; if one fails, stop those that started.
  for (const server of await Promise.allSettled(starting)) {
    if (server.status === 'fulfilled') servers.defer(server.value.stop);
  }
  const [dynamodb, sqs, secrets, vectors, messages, scheduler] = await Promise.all(starting);
  dynamodb.ended.then(() => onEnd('The DynamoDB engine'));
  sqs.ended.then(() => onEnd('The SQS and S3 server'));
  const aws = {
    dynamodb: dynamodb.endpoint,
    sqs: sqs.endpoint,
    s3: sqs.endpoint,
    s3Vectors: vectors.endpoint,
    secretsManager: secrets.endpoint,
    kms: secrets.endpoint,
    scheduler: scheduler.endpoint,
    ses: messages.endpoint,
    sns: messages.endpoint,
    eventBridge: messages.endpoint,
  };
  return { aws, credentials: sqs.credentials, queues: sqs.queues, scheduler, messages };
}

/**
 * Emulates the EventBridge rules that invoke Lambdas on a schedule. Also invokes them at the start, to recover from the
 * last stop, and starts the migrations: no other release runs beside this one.
 */
function startTimers(): Disposable {
  const running = timers.map(({ worker, everyMinutes, timeoutSeconds }) => {
    const run = (event: object) => runWorker(worker, event, timeoutSeconds);
    run({ atStart: true });
    return setInterval(run, everyMinutes * 60_000, {});
  });
  runWorker(queues.migrations.worker, { start: true }, queues.migrations.timeoutSeconds);
  return {
    [Symbol.dispose]() {
      for (const timer of running) clearInterval(timer);
    },
  };
}

const runWorker = (worker: string, event: object, timeoutSeconds: number) =>
  invoke(`workers/${worker}`, event, timeoutSeconds).catch((error) =>
    log.error('A worker failed', { error, worker }),
  );
