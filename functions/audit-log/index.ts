import type { EndpointGroup } from '../../shared/platform/http/endpoint.ts';
import { listAuditLog } from './list.ts';

export const auditLogGroup = {
  description: 'Who changed keys and secrets, when and from where.',
  endpoints: [listAuditLog],
} as const satisfies EndpointGroup;
