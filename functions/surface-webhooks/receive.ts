import * as z from 'zod';
import { limitQueueTime, sandbox } from '../../shared/adapters/sandbox/sandbox.ts';
import { hasCode, ifMissing, tooManyAtOnce, unauthenticated } from '../../shared/core/errors/errors.ts';
import { resourceId } from '../../shared/core/ids.ts';
import {
  assertMayRun,
  assertOpen,
  exposedItems,
  findSlugItem,
} from '../../shared/domain/surfaces/exposed-item.ts';
import { toRunSurface } from '../../shared/domain/surfaces/surface/run-surface.ts';
import { webhookStarter } from '../../shared/execution/targets/start-webhook.ts';
import { toTarget } from '../../shared/execution/targets/target.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { toSurfaceCaller, toSurfaceVisitor } from '../../shared/platform/identity/principal.ts';
import { assertParameters, targetGone } from '../../shared/protocols/surface/parameters.ts';
import { senderOrCaller } from './caller.ts';
import { describedInputs, isSlackForm, receivedDeliveryId, slackChallenge, webhookInputs } from './event.ts';

export const receiveWebhook = defineEndpoint({
  id: 'surface-webhooks.receive',
  method: 'POST',
  path: '/v1/products/{id}/surfaces/{surfaceId}/webhook/{endpointSlug}',
  noIdempotencyKey: 'Senders name their deliveries in their own ways',
  permission: 'public',
  scope: senderOrCaller,
  accepts: ['surface-key'],
  summary: 'Receive an event on a webhook surface',
  description: `Responds with 202 once the run is recorded; a worker runs it.

**Signature or credential**

- If the surface has \`inbound.signature\`, a request needs a signature by one of its secrets, and nothing else. Its time must be within \`toleranceSeconds\`.
- Otherwise a request needs a credential, as on a surface of the type api: a key of the surface, or an API key or a session with \`PRODUCTS:EXECUTE\` or the EXECUTE permission of what it runs.

**Repeated deliveries.** A delivery that came before, or comes several times at once, runs once and gets the same response for seven days. Its id is

- the header \`webhook-id\` (Standard Webhooks, or any request with a credential),
- the header \`X-GitHub-Delivery\` (GitHub signs neither a time nor this id),
- the \`id\` of a Stripe event, or
- the \`event_id\` of Slack.

**Parameters**

- The members of the body are the parameters, which are checked against the schema of the capability. Those whose names no variable can have are in \`_input\`: \`{{ _input["First name"] }}\`. A body that is a list, a text, a number or a boolean is \`_input\` itself: \`{{ _input[0].id }}\`.
- A body may be a form (\`application/x-www-form-urlencoded\`), as Slack's commands are: its fields are texts. A form of the one field \`payload\` is the JSON in it, as GitHub and Slack's interactivity send it. Signed forms of Slack get an empty 200, since Slack shows what it gets; a flow answers at \`response_url\`.
- A signed request also has \`webhook\`: the \`deliveryId\`, and the \`event\` that the header \`X-GitHub-Event\` names.
- An agent gets the parameter \`message\`, or else the parameters as JSON.
- The \`url_verification\` of Slack gets its \`challenge\`.`,
  params: z.object({
    id: resourceId('product'),
    surfaceId: resourceId('surface'),
    endpointSlug: z.string().regex(/^[a-z0-9-]{1,100}$/),
  }),
  bodyType: 'json-or-form',
  exactNumbers: true,
  body: z.record(z.string(), z.unknown()).meta({ examples: [{ person: 'Ada' }] }),
  response: {
    kind: 'json',
    bodies: {
      200: z.object({ challenge: z.string() }).meta({ id: 'SlackChallenge' }).optional(),
      202: z
        .object({ executionId: z.string() })
        .meta({ id: 'ReceivedWebhook', examples: [{ executionId: 'exec_01k9m4v7d3x8qz5w2r6t0y1hbn' }] }),
    },
  },
  errors: [400, 402, 404, 503],
  statuses: {
    401: 'Also for every request without a valid signature or credential, whether the surface exists or not',
    403: 'The surface is paused, or is a draft and the caller has no test key',
    429: 'Also, with nothing remembered, while too many events are running: 50 of a tenant at most',
  },
  needs: { items: exposedItems, start: webhookStarter, sandbox },

  async handle({ params, body, principal, header, signal }, { items, start, sandbox }) {
    const whole = await items.findSurface(params.id, params.surfaceId);
    const { surface } = whole;
    const { signature } = surface.type === 'webhook' ? surface.inbound : {};
    if (principal && signature) throw unauthenticated('The surface takes signed requests only');
    assertOpen(surface, principal ?? { environment: 'production' });
    const found = findSlugItem(whole, 'webhook', params.endpointSlug);
    if (principal) assertMayRun(found, principal);
    const challenge = slackChallenge(signature, body);
    if (challenge !== undefined) return { status: 200, body: { challenge } };
    const { flowId, agentId, parametersSchema } = found.capability;
    const deliveryId = receivedDeliveryId(signature, header, body);
    const inputs = webhookInputs(signature && { deliveryId, event: header('x-github-event') ?? null }, body);
    const limited = limitQueueTime(sandbox, signal);
    await assertParameters(limited, parametersSchema, describedInputs(parametersSchema, inputs, body));
    const delivery = { surfaceId: surface.id, endpointSlug: params.endpointSlug, deliveryId };
    const owner = principal
      ? toSurfaceCaller(principal)
      : { ...toSurfaceVisitor(whole.owner, surface.id), environment: 'production' as const };
    const run = { flowId, agentId, inputs, owner, surface: toRunSurface(surface), delivery };
    const executionId = await start(run, limited)
      .catch(ifMissing(undefined))
      .catch((error) => {
        throw hasCode(error, 'RATE_LIMITED') ? busy() : error;
      });
    if (executionId === undefined) throw targetGone(toTarget(found.capability));
    if (isSlackForm(signature, header)) return { status: 200, body: undefined };
    return { status: 202, body: { executionId } };
  },
});

/** Without the advice that the tenant would get. */
const busy = () => tooManyAtOnce('Too many events are running. Send this one again later', 60);

export const handler = toLambda(receiveWebhook);
