import { hasCollection } from '../../../adapters/vectors/has-collection.ts';
import { log } from '../../../core/log.ts';
import { using } from '../../../platform/aws/uses.ts';
import type { Scope } from '../../../platform/data/scope.ts';
import { covers, type Permission } from '../../../platform/identity/permissions.ts';
import { modelSelector } from '../../model-configs/model-selector.ts';
import { walkStepNodes } from '../checking/step-nodes.ts';
import { lookups } from './account-lookups.ts';
import { type Finding, finding, limitFindings } from './finding.ts';
import { type ResourceKind, type ResourceReference, resourceReferencesIn } from './resource-references.ts';

interface Check {
  code: string;
  /** The permission that the caller needs to see the result; null if any credential is enough. */
  permission: Permission | null;
  /** How many names to look up; further names are skipped. */
  max: number;
  /** Whether saving checks it too. */
  prevents?: boolean;
}

const checks: Record<ResourceKind, Check> = {
  secret: { code: 'UNKNOWN_SECRET', permission: 'SECRETS:READ', max: 100 },
  model: { code: 'MODEL_NOT_CONFIGURED', permission: null, max: 100 },
  recordName: { code: 'UNKNOWN_RECORD', permission: 'RECORDS:READ', max: 100 },
  tool: { code: 'UNKNOWN_TOOL', permission: 'TOOLS:READ', max: 100 },
  flow: { code: 'UNKNOWN_FLOW', permission: 'FLOWS:READ', max: 100, prevents: true },
  agent: { code: 'UNKNOWN_AGENT', permission: 'AGENTS:READ', max: 100, prevents: true },
  // Each of these lookups is a separate request.
  recordId: { code: 'UNKNOWN_RECORD', permission: 'RECORDS:READ', max: 10 },
  recordType: { code: 'UNKNOWN_RECORD_TYPE', permission: 'RECORDS:READ', max: 10 },
  collection: { code: 'UNKNOWN_COLLECTION', permission: 'RECORDS:READ', max: 10 },
};

export interface AccountFindings {
  /** What prevents saving. */
  errors: Finding[];
  findings: Finding[];
  /** True if something was looked up, or the flow references nothing. */
  performed: boolean;
  /** True if a reference was not looked up. */
  skipped: boolean;
}

/** Checks whether the tenant has the resources that the steps of a flow reference. Reads keys and index entries only. */
export const accountCheck = /* @__PURE__ */ using(
  ['table:read', hasCollection, modelSelector],
  (scope: Scope) =>
    async function check(steps: unknown, member: string, held: readonly string[]): Promise<AccountFindings> {
      const mentions = resourceReferencesIn(walkStepNodes(steps, { path: [member] }));
      const byKind = [...Map.groupBy(mentions, ({ kind }) => kind)];
      const results = await Promise.all(byKind.map(([kind, some]) => checkKind(scope, kind, some, held)));
      const skipped = results.some((result) => result.skipped);
      return {
        errors: limitFindings(results.flatMap(({ errors }) => errors)),
        findings: limitFindings(results.flatMap(({ findings }) => findings)),
        performed: results.length === 0 || results.some(({ performed }) => performed),
        skipped,
      };
    },
);

async function checkKind(
  scope: Scope,
  kind: ResourceKind,
  mentions: readonly ResourceReference[],
  held: readonly string[],
): Promise<AccountFindings> {
  const { code, permission, max, prevents = false } = checks[kind];
  const none = { errors: [], findings: [], performed: false, skipped: true };
  if (permission && !covers(held, permission)) return none;
  const names = [...new Set(mentions.map(({ name }) => name))];
  try {
    const wrong = await lookups[kind](names.slice(0, max), scope);
    const findings = mentions.flatMap(({ name, visit, path }) => {
      const message = wrong.get(name);
      return message ? [finding(visit, path, code, message, { [kind]: name.split('\0').at(-1) })] : [];
    });
    const [errors, warnings] = prevents ? [findings, []] : [[], findings];
    return { errors, findings: warnings, performed: true, skipped: names.length > max };
  } catch (error) {
    // The other findings are useful without this lookup.
    log.error('A lookup for the validation of a flow failed', { error, code });
    return none;
  }
}
