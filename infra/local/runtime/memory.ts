import { availableParallelism, totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';

const megabyte = 2 ** 20;

/** The memory that the service may take: that of the machine, of its container, or the setting. */
export function memoryBytes(): number {
  // A container without a limit reports 0 or a number beyond any machine.
  const limits = [totalmem(), process.constrainedMemory(), Number(process.env.MEMORY_MB) * megabyte];
  return Math.min(...limits.filter((bytes) => bytes > 0));
}

/** A share of the memory in megabytes, within bounds. */
const share = (part: number, least: number, most: number) =>
  Math.round(Math.min(most, Math.max(least, (memoryBytes() * part) / megabyte)));

/** The heaps of the processes and threads. The other half is for buffers, code, the table's engine and the files' cache. */
export const heapMegabytes = {
  /** V8 lets a heap grow to four times what is in it if it may have more than this. */
  main: () => share(0.35, 160, 1_024),
  queues: () => share(0.15, 64, 512),
  workers: () => share(0.15, 128, 512),
  sandbox: () => share(0.125, 64, 256),
};

/** What a process for records needs with its code, and room for its work. */
const workerBytes = 1_024 * megabyte;
const workersMax = 8;

/** How many processes run records unless `WORKER_PROCESSES` says it: a processor stays for requests and the table. */
export function countWorkerProcesses(stated = process.env.WORKER_PROCESSES): number {
  if (stated) return Math.min(64, Math.max(0, Math.floor(Number(stated)) || 0));
  const byMemory = Math.floor(memoryBytes() / workerBytes) - 1;
  return Math.max(0, Math.min(workersMax, availableParallelism() - 1, byMemory));
}

const limitFlag = /--max[-_]old[-_]space[-_]size(?:=(\d+))?/;

const readFlags = () => [...process.execArgv, process.env.NODE_OPTIONS ?? ''];

/** What the heap of this process may hold. V8's own figure includes what is young, for which there is no room when the rest is full. */
export function heapLimitBytes(): number {
  const set = readFlags().map((flag) => Number(limitFlag.exec(flag)?.[1] ?? 0) * megabyte);
  return Math.min(getHeapStatistics().heap_size_limit, ...set.filter((bytes) => bytes > 0));
}

/**
 * What glibc reads when a process starts: few arenas for the many threads that allocate, and large blocks outside of the
 * heap, so that they go back to the system when they are freed. By default the first freed block of 5 MB makes the next
 * ones part of the heap, which small blocks above them then hold. D182, D291
 */
export const mallocSettings = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: String(megabyte),
  MALLOC_TRIM_THRESHOLD_: String(8 * megabyte),
};

/**
 * Starts this process anew, under the same id, with what Node and the C library take only at a start, unless it has
 * that: the limit of the heap, and the settings of malloc. The processes that it starts inherit these.
 */
export function restartWithinMemory(): void {
  const { execArgv, execPath, argv, env } = process;
  const isLimited = readFlags().some((flag) => limitFlag.test(flag));
  const isSet = isLimited && Object.keys(mallocSettings).every((name) => name in env);
  // Windows has no execve; what forked this process would lose its channel.
  if (isSet || process.platform === 'win32' || process.connected) return;
  const limit = isLimited ? [] : [`--max-old-space-size=${heapMegabytes.main()}`];
  process.execve?.(execPath, [execPath, ...execArgv, ...limit, ...argv.slice(1)], {
    ...mallocSettings,
    ...env,
  });
}
