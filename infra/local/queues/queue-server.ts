import { mkdtempSync, rmSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { enableCompileCache, registerHooks } from 'node:module';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { log } from '../../../shared/core/log.ts';
import type { Credentials } from '../runtime/account.ts';
import { steadyClock } from '../runtime/clock-jumps.ts';
import { type ObjectFiles, type ObjectFilesOptions, openObjectFiles } from './object-files.ts';
import { signedOnly } from './signed-addresses.ts';

/** Runs as a child process: SQS and S3 until the parent ends. The first message contains the options. */
export interface QueueServerOptions {
  dataDir: string | undefined;
  region: string;
  queues: { name: string; attributes: Record<string, string> }[];
  buckets: string[];
  /** Objects that are files, beside the databases. */
  objectFiles: Omit<ObjectFilesOptions, 'directory'>;
  /** With which addresses are signed. */
  credentials: Credentials;
  /** Which requests may be signed with too, but no addresses. */
  toolCredentials: Credentials;
}

// As in main.ts; each test that starts a stack of its own starts this too.
enableCompileCache();
// fauxqs listens on every address and has no option for it. This process opens no other server.
const { listen } = net.Server.prototype;
net.Server.prototype.listen = function (this: net.Server, options: object) {
  return listen.call(this, { ...options, host: '127.0.0.1' });
} as typeof listen;

// Delays, visibility and deduplication are durations, which a clock that is set does not change.
Date.now = steadyClock();

// It also waits for the disk four times per message. Without the wait, a write survives the end of this process (but
// not of the machine), and a queue has twice the throughput.
const { exec } = DatabaseSync.prototype;
DatabaseSync.prototype.exec = function (sql) {
  exec.call(this, sql);
  if (sql.includes('journal_mode')) exec.call(this, 'PRAGMA synchronous = NORMAL');
};

// It also rejects objects over 11 MiB, and answers whoever asks. It holds an object in memory while it is written or read,
// so large ones are files.
registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (!url.endsWith('/fauxqs/dist/app.js')) return loaded;
    const source = String(loaded.source)
      .replace('11 * 1_048_576', '1_024 * 1_048_576')
      .replace(
        'registerS3Routes(app',
        'for (const hook of globalThis.requestHooks) app.addHook("onRequest", hook);\n    registerS3Routes(app',
      );
    return { ...loaded, source };
  },
});
const { releaseUncounted } = await import('./queue-repairs.ts');
await import('./trace-headers.ts');
const { startFauxqs } = await import('fauxqs');

process.stderr.on('error', () => {});
// Its own process group keeps terminal signals away; handle signals sent to this process.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(0));
// Sent only by a parent that stops in order, and was not killed.
process.on('message', (message) => {
  if (message === 'stop') releaseUncounted();
});
process.on('disconnect', () => process.exit(0));

process.once('message', async (options: QueueServerOptions) => {
  const { dataDir, region, queues, buckets, credentials, toolCredentials, objectFiles } = options;
  const files = openObjectFiles({ ...objectFiles, directory: folderOf(dataDir) });
  const s3 = { region, service: 's3' };
  const isSigned = signedOnly({ ...credentials, ...s3 }, { ...toolCredentials, ...s3 });
  Object.assign(globalThis, { requestHooks: [isSigned, answerFiles(files)] });
  removeHourly(files);
  const server = await startFauxqs({
    port: 0,
    logger: false,
    defaultRegion: region,
    init: { queues, buckets },
    ...(dataDir && { dataDir }),
  });
  process.send?.({ port: server.port });
});

/** Of the files of objects. Without a folder of data, it ends with this process. */
function folderOf(dataDir: string | undefined): string {
  if (dataDir !== undefined) return join(dataDir, 'objects');
  const folder = mkdtempSync(join(tmpdir(), 'agent-flow-objects-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

interface Reply {
  sent: boolean;
  raw: ServerResponse;
  getHeaders: () => Record<string, string>;
  hijack: () => void;
}

/** The hook of fauxqs after the one that checks signatures. */
const answerFiles =
  (files: ObjectFiles) =>
  async ({ raw: request }: { raw: IncomingMessage }, reply: Reply): Promise<void> => {
    for (const [name, value] of Object.entries(reply.getHeaders())) reply.raw.setHeader(name, value);
    if (await files.answer(request, reply.raw)) reply.hijack();
  };

function removeHourly(files: ObjectFiles): void {
  const remove = () =>
    files
      .removeExpired()
      .catch((error) => log.warn('Expired files of imports and exports remain', { error }));
  remove();
  setInterval(remove, 3_600_000).unref();
}
