import { isObject } from '../../../ui/values/schema.ts';

/** Whether a response with the status 200 says that what ran has failed, in the words of the protocol of its surface. */
export function isAnsweredFailure(answer: unknown): boolean {
  if (!isObject(answer)) return false;
  if ('jsonrpc' in answer && 'error' in answer) return true;
  return answer.success === false || isFailedResult(answer.result);
}

const failedStates: readonly unknown[] = ['failed', 'TASK_STATE_FAILED', 'rejected', 'TASK_STATE_REJECTED'];

/** Of a tool of MCP, or a task of A2A. */
const isFailedResult = (result: unknown) =>
  isObject(result) &&
  (result.isError === true ||
    failedStates.includes(stateOf(result)) ||
    failedStates.includes(stateOf(result.task)));

const stateOf = (task: unknown) => (isObject(task) && isObject(task.status) ? task.status.state : undefined);
