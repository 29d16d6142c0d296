import type { CallToolResult } from '@modelcontextprotocol/server';
import {
  contentText,
  failedResult,
  isMembers,
  textBlock,
  toolResultIn,
} from '../../adapters/mcp-server/content.ts';
import { failureMessage } from '../../adapters/mcp-server/failures.ts';
import type { ReportProgress } from '../../adapters/mcp-server/served.ts';
import { ServiceError } from '../../core/errors/errors.ts';
import { log } from '../../core/log.ts';
import type { OutwardRun } from '../surface/outward.ts';
import { type FileReader, fileResult } from './file-result.ts';
import { readOutcome } from './outcome.ts';

interface Call {
  start: () => Promise<OutwardRun>;
  read: FileReader;
  requestId: string;
}

/** Runs a tool. Errors of the caller and of the run are results, so that a model reads them and corrects itself. */
export async function callResult(
  { start, read, requestId }: Call,
  signal: AbortSignal,
  progress: ReportProgress,
): Promise<CallToolResult> {
  try {
    const outcome = await readOutcome(await start(), signal, progress);
    if ('failure' in outcome) return failedResult(outcome.failure);
    return 'waiting' in outcome ? text(outcome.waiting) : await resultOf(outcome.output, read);
  } catch (error) {
    if (error instanceof ServiceError) return failedResult(failureMessage(error));
    if (!signal.aborted) log.error('A tool call failed', { error });
    return failedResult(`Internal error. Request ${requestId}`);
  }
}

const text = (words: string): CallToolResult => ({ content: [textBlock(words)] });

/** Objects are structured too. Of other values, the protocol before 2026-07-28 has only the text. */
const resultOf = async (output: unknown, read: FileReader): Promise<CallToolResult> =>
  toolResultIn(output) ??
  (await fileResult(output, read)) ?? {
    ...text(contentText(output)),
    ...(isMembers(output) && { structuredContent: output }),
  };
