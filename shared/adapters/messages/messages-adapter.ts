import { using } from '../../platform/aws/uses.ts';
import type { MessagesPort } from '../ports/messages-port.ts';

/** Sends the messages of a tenant's flows. Loads each client with the first message of its kind. */
export const messagesPort = /* @__PURE__ */ using(
  ['messages'],
  (tenant: string): MessagesPort => ({
    email: async (message) => (await import('./email.ts')).sendEmailBySes(message),
    sms: async (message) => (await import('./sms.ts')).sendSms(message),
    event: async (event) => (await import('./event.ts')).putEvent(tenant)(event),
  }),
);
