import { providerKeys } from '../../adapters/models/providers/provider-keys.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { type Collector, collectorOfSetting, toTracesUrl } from './collector.ts';
import { toDeployment } from './run-export.ts';
import { telemetryVersionEntity } from './telemetry-setting.ts';

/** That of the deployment, which OpenTelemetry's variables name. Undefined if there is none. */
async function findDeploymentCollector(): Promise<Collector | undefined> {
  const endpoint = process.env.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (!endpoint) return undefined;
  const { OTEL_EXPORTER_OTLP_HEADERS: headers = '' } = await providerKeys();
  return {
    url: toTracesUrl(endpoint),
    headers: parseHeaders(headers),
    content: 'none',
    sample: 1,
    isOperators: true,
  };
}

/** `name=value,name=value`, percent-encoded (W3C Baggage), as OpenTelemetry defines the variable. */
const parseHeaders = (text: string): Record<string, string> =>
  Object.fromEntries(
    text.split(',').flatMap((pair) => {
      const [name = '', ...value] = pair.split('=');
      return name.trim() === '' ? [] : [[decodeText(name.trim()), decodeText(value.join('=').trim())]];
    }),
  );

function decodeText(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The collector that an export names. @returns undefined if it is no more */
export const collectors = /* @__PURE__ */ using(
  ['table:read', collectorOfSetting, 'deployment-collector', 'provider-keys'],
  (scope: Scope) =>
    async (to: string): Promise<Collector | undefined> => {
      if (to === toDeployment) return findDeploymentCollector();
      const setting = await scope.table.get(telemetryVersionEntity, { versionId: to });
      return setting && collectorOfSetting(scope)(setting);
    },
);
