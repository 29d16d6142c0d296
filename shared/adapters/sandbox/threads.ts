import { availableParallelism } from 'node:os';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import { loadOnce } from '../../core/concurrency/load-once.ts';
import { log } from '../../core/log.ts';

/** The limit for the heap, unless the machine has little memory. WebAssembly memory has its own. */
const heapMegabytesMax = 256;
/** Spare pages would be most of a thread's memory. */
const youngMegabytesMax = 8;
const idleMs = 30_000;

/** More threads than cores, so that another tenant's short task shares the cores with long ones instead of waiting. */
export const placesPerTenant = Math.max(2, availableParallelism());
export const places = 2 * placesPerTenant + 2;
/** Threads of tasks that ask their callers. They mostly wait. */
export const conversationsPerTenant = 2;
export const conversations = 4;
export const threads = loadOnce(newPool);

function newPool(): Piscina {
  const made = new Piscina({
    // TypeScript from source, JavaScript in a bundle.
    filename: fileURLToPath(new URL(`../sandbox-thread/thread${extname(import.meta.url)}`, import.meta.url)),
    minThreads: 0,
    maxThreads: places + 1 + conversations,
    idleTimeout: idleMs,
    resourceLimits: {
      maxOldGenerationSizeMb: Number(process.env.SANDBOX_HEAP_MB) || heapMegabytesMax,
      maxYoungGenerationSizeMb: youngMegabytesMax,
    },
    execArgv: ['--no-warnings'],
    env: {},
  });
  // A terminating thread may run out of memory when it has no task that could report it.
  made.on('error', (error) => log.warn('A sandbox thread failed while terminating', { error }));
  return made;
}
