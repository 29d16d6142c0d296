import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { requireEnv } from '../../core/environment.ts';
import { loadOnce } from '../../core/load-once.ts';
import { StepError } from '../../core/step-error.ts';
import { withoutSdkLogger } from '../../platform/aws/without-sdk-logger.ts';
import type { MessagesPort } from '../ports.ts';
import { deliver } from './delivery.ts';

export const eventSource = 'agent-flow-service';
/** What EventBridge takes as one entry: source, type and detail together. */
const entryBytesMax = 256 * 1024;

const eventBridge = loadOnce(() => withoutSdkLogger(new EventBridgeClient({})));

/** Puts a tenant's event on the deployment's bus. Whoever listens there tells tenants apart by `detail.tenant`. */
export const putEvent =
  (tenant: string): MessagesPort['event'] =>
  async ({ type, payload }) => {
    const Detail = JSON.stringify({ tenant, payload });
    const bytes = Buffer.byteLength(eventSource + type + Detail);
    if (bytes > entryBytesMax) {
      throw new StepError(
        `An event may have ${entryBytesMax / 1024} KB with its type; this has ${bytes} bytes`,
      );
    }
    const entry = { Source: eventSource, DetailType: type, Detail, EventBusName: requireEnv('EVENT_BUS') };
    const { Entries: [answer] = [] } = await deliver('The event', (abortSignal) =>
      eventBridge().send(new PutEventsCommand({ Entries: [entry] }), { abortSignal }),
    );
    // One that fails is told in an answer that succeeds.
    if (answer?.EventId) return { eventId: answer.EventId };
    const { ErrorCode = 'InternalFailure', ErrorMessage = '' } = answer ?? {};
    throw new StepError(`The event was refused: ${ErrorMessage || ErrorCode}`, {
      retryable: /Throttl|Internal/.test(ErrorCode),
    });
  };
