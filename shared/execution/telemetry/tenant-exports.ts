import { inTenantPlace } from '../../domain/deliveries/tenant-place.ts';
import { exportQueue } from '../../domain/telemetry/export-queue.ts';
import { exportOutbox } from '../../domain/telemetry/run-export.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { runExporter } from './export-run.ts';

/** A tenant's part of the workers that export. */
const pool = { name: 'telemetry', variable: 'TELEMETRY_TENANT_PLACES' };

export const tenantExports = /* @__PURE__ */ using(
  [runExporter, exportQueue, 'table:write', 'places:telemetry'],
  (scope: Scope) =>
    inTenantPlace(scope, {
      pool,
      outbox: exportOutbox,
      attempt: runExporter(scope),
      send: exportQueue(scope).send,
    }),
);
