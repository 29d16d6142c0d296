import { using } from '../../platform/aws/uses.ts';
import type { MessagesPort } from '../ports.ts';

/** Messages of a tenant's flows. Each client is loaded with the first message of its kind. */
export const messagesPort = /* @__PURE__ */ using(
  ['messages'],
  (tenant: string): MessagesPort => ({
    email: async (message) => (await import('./email.ts')).sendEmail(message),
    sms: async (message) => (await import('./sms.ts')).sendSms(message),
    event: async (event) => (await import('./event.ts')).putEvent(tenant)(event),
  }),
);
