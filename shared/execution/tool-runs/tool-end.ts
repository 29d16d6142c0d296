import { invalid } from '../../core/errors/errors.ts';
import { StepError } from '../../core/errors/step-error.ts';
import { log } from '../../core/log.ts';
import { truncate } from '../../core/text.ts';
import { runCancelled } from '../../domain/runs/run-list.ts';
import type { ToolExecution } from '../../domain/tools/tool-execution.ts';
import { megabytes, responseBytes, responseBytesMax } from '../../platform/http/responses/body-sizes.ts';
import { ArgumentsError, callTool, type RunnableTool } from '../tools/call-tool.ts';

export interface ToolCall {
  parameters: Record<string, unknown>;
  timeMs: number;
  signal: AbortSignal;
}

const errorCharactersMax = 1_000;
/** Of a response that also holds a result. */
const requestBytesMax = 1_000_000;

/** What a run would send, or why it cannot run. @throws ServiceError 400 for arguments that do not fit */
export async function toolPreview({ parameters, signal }: ToolCall, tool: RunnableTool) {
  try {
    const request = await tool.preview(parameters, signal);
    if (responseBytes(request) <= requestBytesMax) return { request };
    return { error: `The request takes more than ${megabytes(requestBytesMax)} of a response` };
  } catch (error) {
    return failureFor(error);
  }
}

export interface ToolEnd {
  status: Exclude<ToolExecution['status'], 'running'>;
  result?: unknown;
  error?: string;
}

export interface ToolWatch {
  /** Called when the arguments fit, before the tool does anything. */
  onPlanned: () => Promise<void>;
  /** Aborted when somebody cancels the run. */
  cancelled: AbortSignal;
}

/**
 * Runs the tool to its end, at most until its time limit. @throws ServiceError 400 for arguments that do not fit, before
 * `onPlanned` is called
 */
export async function toolEnd(
  { parameters, timeMs, signal }: ToolCall,
  tool: RunnableTool,
  { onPlanned, cancelled }: ToolWatch,
): Promise<ToolEnd> {
  const timeout = AbortSignal.timeout(timeMs);
  const ended = AbortSignal.any([signal, timeout, cancelled]);
  let mayStand = false;
  const begin = async () => {
    await onPlanned();
    mayStand = !tool.repeatable;
  };
  const stopped = (status: 'cancelled' | 'failed', why: string): ToolEnd => ({
    status,
    error: mayStand ? `${why}. ${sentBefore}` : why,
  });
  try {
    const outcome = await callTool(tool, parameters, ended, undefined, begin);
    if ('awaitsCaller' in outcome) return { status: 'waiting_for_local' };
    if (responseBytes(outcome.output) > responseBytesMax) {
      throw new StepError(`The result takes more than ${megabytes(responseBytesMax)} of a response`);
    }
    return { status: 'success', result: outcome.output ?? null };
  } catch (error) {
    if (cancelled.aborted) return stopped('cancelled', runCancelled);
    if (signal.aborted) return stopped('cancelled', 'The caller disconnected');
    if (timeout.aborted) return stopped('failed', tookTooLong(timeMs));
    return { status: 'failed', ...failureFor(error) };
  }
}

const sentBefore = 'What it had already sent may have taken effect';
const tookTooLong = (timeMs: number) => `The tool exceeded its time limit of ${Math.round(timeMs / 1_000)} s`;

/** It had ended when somebody cancelled the run, and its process had not looked yet. */
export const cancelledAfter = ({ status, result, error }: ToolEnd): ToolEnd => ({
  status: 'cancelled',
  error: `${runCancelled}. ${error === undefined ? 'The tool had done its work' : `The tool had failed: ${error}`}`,
  ...(status === 'success' && { result }),
});

/** A failure of the tool in words. @throws ServiceError 400 for arguments that do not fit; all that is no failure */
function failureFor(error: unknown): { error: string } {
  if (error instanceof ArgumentsError) {
    throw invalid(
      error.problems.map(({ path, message }) => ({
        path: path ? `parameters.${path}` : 'parameters',
        code: message === 'Required' ? 'MISSING_REQUIRED_FIELD' : 'INVALID_VALUE',
        message,
      })),
    );
  }
  if (!(error instanceof StepError)) throw error;
  log.info('A tool failed', { error: error.message });
  return { error: truncate(error.message, errorCharactersMax) };
}
