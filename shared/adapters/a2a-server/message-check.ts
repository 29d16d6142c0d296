import { RequestMalformedError } from '@a2a-js/sdk/errors';
import * as z from 'zod';

const Text = z.string().nullish();
const Members = z.looseObject({});

/** Where a caller wants to be told. 1.0 has one `scheme`, 0.3 several `schemes`. */
const PushConfig = z.looseObject({
  id: Text,
  url: Text,
  token: Text,
  authentication: z
    .looseObject({ scheme: Text, schemes: z.array(z.string()).nullish(), credentials: Text })
    .nullish(),
});

/** What the SDK would translate into other texts, or fail at. In A2A 1.0 and 0.3; the SDK reads the rest. */
const Sent = z.looseObject({
  message: z
    .looseObject({
      messageId: Text,
      message_id: Text,
      taskId: Text,
      task_id: Text,
      contextId: Text,
      context_id: Text,
      parts: z.array(z.looseObject({ text: Text, url: Text, raw: Text, file: Members.optional() })).nullish(),
      content: z.array(Members).nullish(),
    })
    .nullish(),
  configuration: z
    .looseObject({
      taskPushNotificationConfig: PushConfig.nullish(),
      pushNotificationConfig: PushConfig.nullish(),
    })
    .nullish(),
});

const schemas: ReadonlyMap<string, z.ZodType> = new Map(
  Object.entries({
    SendMessage: Sent,
    SendStreamingMessage: Sent,
    'message/send': Sent,
    'message/stream': Sent,
    CreateTaskPushNotificationConfig: PushConfig,
    'tasks/pushNotificationConfig/set': z.looseObject({ pushNotificationConfig: PushConfig }),
  }),
);

/** @throws RequestMalformedError that names the place, if these are no parameters of the method */
export function assertParams(method: string, params: unknown): void {
  const [issue] = schemas.get(method)?.safeParse(params).error?.issues ?? [];
  if (issue) {
    throw new RequestMalformedError([issue.path.join('.'), issue.message].filter(Boolean).join(': '));
  }
}
