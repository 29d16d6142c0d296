import { StepError } from '../../core/errors/step-error.ts';
import { type Sandbox, SandboxError } from '../sandbox/sandbox.ts';
import type { PdfSource } from './document.ts';
import { makePdfTask } from './tasks.ts';

/** Creates a PDF in the sandbox: a malicious document may take hours and gigabytes. @throws StepError */
export async function renderPdf(
  source: PdfSource,
  sandbox: Sandbox,
  signal: AbortSignal,
  secondsMax = 30,
): Promise<Uint8Array> {
  try {
    return await sandbox(makePdfTask, source, { timeoutMs: secondsMax * 1_000, signal });
  } catch (error) {
    signal.throwIfAborted();
    const reason = toReason(error as Error, secondsMax);
    throw new StepError(`The PDF could not be created: ${reason}`, { cause: error });
  }
}

function toReason(error: Error, secondsMax: number): string {
  if (error instanceof RangeError) return 'the document is nested too deeply';
  if (!(error instanceof SandboxError)) return error.message;
  return error.reason === 'time'
    ? `the document takes more than ${secondsMax} seconds to lay out`
    : 'the document takes too much memory to lay out';
}
