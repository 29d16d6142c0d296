import * as z from 'zod';
import { invalidAt, notFound } from '../../shared/core/errors/errors.ts';
import { resourceId } from '../../shared/core/ids.ts';
import { sessionRuns } from '../../shared/domain/client-sessions/client-session.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toStreamingLambda } from '../../shared/platform/http/lambda/streaming-lambda.ts';
import { lastEventId } from '../../shared/platform/http/responses/server-sent-events.ts';
import { ClientEvent } from '../../shared/protocols/chat/events/client-event.ts';
import { sendClientEvents } from '../../shared/protocols/chat/events/client-events.ts';
import { parseCursor } from '../../shared/protocols/chat/events/cursor.ts';
import { followAnswer } from '../../shared/protocols/chat/follow-answer.ts';
import { bySessionHeader, sessionContext } from '../../shared/protocols/chat/visitor.ts';

export const followClientAnswer = defineEndpoint({
  id: 'client-chat.events',
  method: 'GET',
  path: '/v1/client/executions/{executionId}/events',
  permission: 'public',
  scope: bySessionHeader,
  anyOrigin: true,
  summary: 'Follow an answer',
  description:
    'For a page that lost the connection or was reloaded. Send the id of the session as `Authorization: Bearer <sessionId>`, and the `id` of the last event as `after` or in the header `Last-Event-ID`, which counts if both are given; without it, all events come. Texts of complete turns come in one piece, that of the turn in progress as it is written.\n\nIf the service was restarted, the run goes on, and a turn that was interrupted is given again under another id, without the beginning of its text if that is the same. Of a flow, the rest of the answer comes at its end, or the whole answer under another id if it is not the text that was sent before. The stream ends when the answer ends or waits. 401 and 403 as for messages. 404 for a run of another session.',
  params: z.object({ executionId: resourceId('exec') }),
  query: z.object({
    after: z.string().max(200).optional().meta({ description: 'The `id` of the last event' }),
  }),
  open: 'reader',
  response: { kind: 'sse', events: ClientEvent },
  errors: [400, 401, 403, 404],
  needs: { visit: sessionContext, runs: sessionRuns, follow: followAnswer },

  async handle({ params, query, header, timeLeftMs }, { visit, runs, follow }) {
    const lastId = lastEventId(header, query.after);
    const after = lastId === undefined ? undefined : parseCursor(lastId);
    if (lastId !== undefined && !after) throw invalidCursor();
    const run = await runs.find(visit.session.hash, params.executionId);
    if (!run) throw notFound('Execution');
    const timeout = AbortSignal.timeout(Math.max(1, timeLeftMs() - 1_000));
    return sendClientEvents((pageGone) => follow(visit, run, { after, pageGone, timeout }));
  },
});

const invalidCursor = () =>
  invalidAt('after', 'INVALID_CURSOR', 'Expected the id of an event of this answer. Omit it for all events');

export const handler = toStreamingLambda(followClientAnswer);
