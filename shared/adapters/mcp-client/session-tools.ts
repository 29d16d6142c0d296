import type { McpFailure, McpRequest, McpToolList } from '../ports.ts';
import { failureIn } from './failure.ts';
import { listTools } from './list-tools.ts';
import { inSession } from './session.ts';
import { toolListOf } from './tool-list.ts';

/** Connects to the server to list its tools. */
export async function sessionTools(request: McpRequest): Promise<McpToolList | McpFailure> {
  try {
    return toolListOf(await inSession(request, listTools));
  } catch (error) {
    request.signal.throwIfAborted();
    return failureIn(error);
  }
}
