import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { loadOnce } from '../../core/concurrency/load-once.ts';
import { requireEnv } from '../../core/environment.ts';
import { StepError } from '../../core/errors/step-error.ts';
import { removeSdkLogger } from '../../platform/aws/sdk-clients.ts';
import type { MessagesPort } from '../ports/messages-port.ts';
import { deliverMessage, sentOnce } from './delivery.ts';

export const eventSource = 'agent-flow-service';
/** The EventBridge limit for one entry: source, type and detail together. */
const entryBytesMax = 256 * 1024;

const eventBridge = loadOnce(() => removeSdkLogger(new EventBridgeClient(sentOnce)));

/** Puts a tenant's event on the deployment's bus. Consumers distinguish tenants by `detail.tenant`. */
export const putEvent =
  (tenant: string): MessagesPort['event'] =>
  async ({ type, payload }) => {
    const Detail = JSON.stringify({ tenant, payload });
    const bytes = Buffer.byteLength(eventSource + type + Detail);
    if (bytes > entryBytesMax) {
      throw new StepError(
        `An event has at most ${entryBytesMax / 1024} KB with its type; this one has ${bytes} bytes`,
      );
    }
    const entry = { Source: eventSource, DetailType: type, Detail, EventBusName: requireEnv('EVENT_BUS') };
    const { Entries: [answer] = [] } = await deliverMessage('The event', (abortSignal) =>
      eventBridge().send(new PutEventsCommand({ Entries: [entry] }), { abortSignal }),
    );
    // EventBridge reports failed entries in a successful response.
    if (answer?.EventId) return { eventId: answer.EventId };
    const { ErrorCode = 'InternalFailure', ErrorMessage = '' } = answer ?? {};
    throw new StepError(`The event was rejected: ${ErrorMessage || ErrorCode}`, {
      retryable: /Throttl|Internal/.test(ErrorCode),
      undone: /Throttl/.test(ErrorCode),
    });
  };
