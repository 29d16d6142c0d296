import { invalid } from '../../core/errors/errors.ts';
import { StepError } from '../../core/errors/step-error.ts';
import { log } from '../../core/log.ts';
import { truncate } from '../../core/text.ts';
import type { ToolExecution } from '../../domain/tools/tool-execution.ts';
import { megabytes, responseBytes, responseBytesMax } from '../../platform/http/responses/body-sizes.ts';
import { callTool } from '../tools/call-tool.ts';
import { ArgumentsError } from '../tools/checked-call.ts';
import type { RunnableTool } from '../tools/runnable-tool.ts';

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

export type ToolEnd = { status: ToolExecution['status']; result?: unknown; error?: string };

/** Runs the tool to its end, at most until its time limit. @throws ServiceError 400 for arguments that do not fit */
export async function toolEnd(
  { parameters, timeMs, signal }: ToolCall,
  tool: RunnableTool,
): Promise<ToolEnd> {
  const timeout = AbortSignal.timeout(timeMs);
  try {
    const outcome = await callTool(tool, parameters, AbortSignal.any([signal, timeout]));
    if ('awaitsCaller' in outcome) return { status: 'waiting_for_local' };
    if (responseBytes(outcome.output) > responseBytesMax) {
      throw new StepError(`The result takes more than ${megabytes(responseBytesMax)} of a response`);
    }
    return { status: 'success', result: outcome.output ?? null };
  } catch (error) {
    signal.throwIfAborted();
    const seconds = Math.round(timeMs / 1_000);
    if (timeout.aborted)
      return { status: 'failed', error: `The tool exceeded its time limit of ${seconds} s` };
    return { status: 'failed', ...failureFor(error) };
  }
}

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
