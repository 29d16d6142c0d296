import { forbidden } from '../../shared/core/errors/errors.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toStreamingLambda } from '../../shared/platform/http/lambda/streaming-lambda.ts';
import { continueAnswer } from '../../shared/protocols/chat/continue-answer.ts';
import { ClientEvent } from '../../shared/protocols/chat/events/client-event.ts';
import { ClientResult, visitorsApprove } from '../../shared/protocols/chat/events/client-events.ts';
import { bySessionToContinue, sessionContext } from '../../shared/protocols/chat/visitor.ts';
import { ApproveBody } from './continuation-schemas.ts';

export const approveClientCall = defineEndpoint({
  id: 'client-chat.approve',
  method: 'POST',
  path: '/v1/client/approve',
  permission: 'public',
  scope: bySessionToContinue,
  anyOrigin: true,
  summary: 'Allow or deny a tool call of an answer',
  description:
    'For a run of the same session, with the `approvalId` of `approval_start`. An allowed call runs once; a denied one fails, which the agent sees. The run continues when it has every approval and output that it waits for; until then the response repeats what is missing. Without `approvals: true` in the `config` of the token, visitors get no approvals, and this is a 403: a member of the tenant decides. 401 and 403 as for messages. 404 for a run of another session, and for an approval of another run. 409 if the call was decided before, or too late, and if the session stays busy.',
  body: ApproveBody,
  open: 'run',
  response: { kind: 'sse', events: ClientEvent, json: ClientResult },
  errors: [400, 401, 403, 404, 409, 503],
  needs: { visit: sessionContext, continued: continueAnswer },

  async handle({ body, signal, requestId, timeLeftMs }, { visit, continued }) {
    const { executionId, approvalId, decision, reason, streamResponse: isStreamed } = body;
    if (!visitorsApprove(visit.token)) throw forbidden('Visitors do not decide the calls of this chat');
    const decisions = [{ approvalId, decision, ...(reason !== undefined && { reason }) }];
    const request = { isStreamed, requestId, timeLeftMs: timeLeftMs(), signal };
    return continued(visit, { executionId, decisions, ...request });
  },
});

export const handler = toStreamingLambda(approveClientCall);
