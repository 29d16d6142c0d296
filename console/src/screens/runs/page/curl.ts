import { isObject } from '../../../ui/values/schema.ts';
import { shellText } from '../../../ui/values/shell-text.ts';
import type { RunDetails } from '../data/run-details.ts';

interface Call {
  method: 'GET' | 'POST';
  path: string;
  body?: unknown;
}

/** The call that starts a run again, as far as its input is stored, or else the one that reads it. */
function callOf(run: RunDetails): Call {
  const { id, kind, flowId, agentId, toolId, input } = run;
  const members = isObject(input) ? input : undefined;
  if (members && kind === 'flow' && flowId)
    return { method: 'POST', path: '/v1/dispatch', body: dispatchOf(flowId, members) };
  if (members && kind === 'agent' && agentId && Array.isArray(members.messages))
    return { method: 'POST', path: `/v1/agents/${agentId}/execute`, body: { messages: members.messages } };
  if (members && toolId)
    return {
      method: 'POST',
      path: `/v1/tools/${toolId}/execute`,
      body: { parameters: members.parameters ?? {} },
    };
  if (members && kind === 'batch' && flowId) {
    if (Array.isArray(members.recordIds))
      return { method: 'POST', path: '/v1/batch/flow', body: { flowId, recordIds: members.recordIds } };
    if (typeof members.recordType === 'string')
      return {
        method: 'POST',
        path: `/v1/flows/${flowId}/run-on-record-type`,
        body: { recordType: members.recordType },
      };
  }
  return { method: 'GET', path: `/v1/runs/${id}` };
}

function dispatchOf(flowId: string, { inputs, messages, record }: Record<string, unknown>) {
  const shownRecord = isObject(record) ? recordOf(record) : undefined;
  return {
    flow: { id: flowId },
    ...(isObject(inputs) && Object.keys(inputs).length > 0 && { inputs }),
    ...(Array.isArray(messages) && messages.length > 0 && { messages }),
    ...(shownRecord && { record: shownRecord }),
    options: { streamResponse: false },
  };
}

/** A stored one by its id. */
const recordOf = ({ id, ...rest }: Record<string, unknown>) => (typeof id === 'string' ? { id } : rest);

export function curlCommand(run: RunDetails, baseUrl: string): string {
  const { method, path, body } = callOf(run);
  const lines = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}'${baseUrl}${path}'`,
    `  -H "authorization: Bearer $API_KEY"`,
  ];
  if (body !== undefined) {
    lines.push(`  -H 'content-type: application/json'`);
    lines.push(`  -d ${shellText(JSON.stringify(body, undefined, 2))}`);
  }
  return lines.join(' \\\n');
}
