import { unixSeconds } from '../../core/time.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';

/** Where payloads of conversations are, so that a lifecycle rule of the bucket can expire them. */
export const conversationPayloads = 'conversations/';

/** How long conversations and messages are kept after they are written; forever without a setting. */
export const conversationExpiry = /* @__PURE__ */ using(
  ['conversation-retention'],
  ({ now }: Pick<Scope, 'now'>) =>
    (): { ttl?: number } => {
      const days = Number(process.env.CONVERSATION_RETENTION_DAYS || 0);
      return days > 0 ? { ttl: unixSeconds(now()) + days * 86_400 } : {};
    },
);
