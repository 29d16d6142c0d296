import { isObject, type JsonObject } from '../../../ui/values/schema.ts';

/** A request that runs an item of a surface. */
export interface SurfaceRequest {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: JsonObject;
}

interface Facts {
  type: string;
  /** Of the surface. */
  address: string;
  slug: string;
  /** As an MCP client knows the item. */
  toolName: string;
  parameters: JsonObject;
  /** Of a message of A2A. One that was sent before gives its task, and runs nothing. */
  messageId: string;
}

const json = { 'content-type': 'application/json' };

/** By the type of surface; the credential is left to the caller. */
const calls: Record<string, (facts: Facts) => SurfaceRequest> = {
  api: ({ address, slug, parameters }) => ({
    url: `${address}/run/${slug}`,
    headers: json,
    body: parameters,
  }),
  webhook: ({ address, slug, parameters }) => ({
    url: `${address}/webhook/${slug}`,
    headers: json,
    body: parameters,
  }),
  mcp: ({ address, toolName, parameters }) => ({
    url: `${address}/mcp`,
    headers: { ...json, accept: 'application/json, text/event-stream' },
    body: {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: toolName, arguments: parameters },
    },
  }),
  a2a: ({ address, slug, parameters, messageId }) => ({
    url: `${address}/a2a`,
    headers: { ...json, 'a2a-version': '1.0' },
    body: {
      jsonrpc: '2.0',
      id: 1,
      method: 'SendMessage',
      params: {
        message: {
          messageId,
          role: 'ROLE_USER',
          parts: [partOf(parameters)],
          metadata: { skillId: slug },
        },
      },
    },
  }),
};

/** A question to an agent is a text; all else, data. */
function partOf(parameters: JsonObject) {
  const { message, ...others } = parameters;
  const isText = typeof message === 'string' && Object.keys(others).length === 0;
  return isText ? { text: message } : { data: parameters };
}

export const newMessageId = () => `message-${crypto.randomUUID().slice(0, 8)}`;

/** Undefined for surfaces that are not called by one request. */
export const surfaceRequest = (facts: Facts): SurfaceRequest | undefined => calls[facts.type]?.(facts);

const mcpName = /^[A-Za-z0-9_.-]{1,128}$/;

interface Named {
  id: string;
  endpointSlug: string | null;
  exposedName: string | null;
}

/** The name of the item as a tool: as the service chooses it. */
export function toolNameIn(items: readonly Named[], { id, endpointSlug, exposedName }: Named): string {
  const isFree =
    exposedName && mcpName.test(exposedName) && !items.some((each) => each.endpointSlug === exposedName);
  return isFree ? exposedName : (endpointSlug ?? id);
}

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
