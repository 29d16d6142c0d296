import { once } from 'node:events';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { StepError } from '../flows/step.ts';
import type { PdfSource } from './document.ts';

const megabytesMax = 256;

let last: Promise<unknown> = Promise.resolve();

/**
 * Makes a PDF in a thread: a document may be made to take hours and gigabytes, and a thread can be ended. One at a
 * time, since each may take a quarter of a Lambda's memory.
 * @throws StepError
 */
export function renderPdf(source: PdfSource, signal: AbortSignal, secondsMax = 30): Promise<Uint8Array> {
  const made = last.then(() => inThread(source, signal, secondsMax));
  last = made.catch(() => {});
  return made;
}

async function inThread(source: PdfSource, signal: AbortSignal, secondsMax: number): Promise<Uint8Array> {
  signal.throwIfAborted();
  // Beside this file, here as TypeScript and in a bundle as JavaScript.
  const thread = new Worker(new URL(`./pdf-thread${extname(import.meta.url)}`, import.meta.url), {
    workerData: source,
    resourceLimits: { maxOldGenerationSizeMb: megabytesMax },
    execArgv: [],
    env: {},
    // What the libraries print of a document is nobody's to read.
    stdout: true,
    stderr: true,
  });
  const timeout = AbortSignal.timeout(secondsMax * 1_000);
  try {
    const [bytes] = await once(thread, 'message', { signal: AbortSignal.any([signal, timeout]) });
    return bytes;
  } catch (error) {
    signal.throwIfAborted();
    const reason = timeout.aborted
      ? `the document takes more than ${secondsMax} seconds to lay out`
      : reasonOf(error as NodeJS.ErrnoException);
    throw new StepError(`The PDF cannot be made: ${reason}`, { cause: error });
  } finally {
    await thread.terminate();
  }
}

function reasonOf(error: NodeJS.ErrnoException): string {
  if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') {
    return `the document takes more than ${megabytesMax} MB to lay out`;
  }
  return error instanceof RangeError ? 'the document is nested too deeply' : error.message;
}
