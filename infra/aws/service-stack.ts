import { CfnOutput, Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { endpoints as declared } from '../../functions/index.ts';
import type { AnyEndpoint } from '../../shared/platform/http/endpoint.ts';
import { listRoutes } from '../routes.ts';
import { ServiceApi } from './api/api.ts';
import { listEntries } from './conventions/entries.ts';
import type { Settings } from './conventions/settings.ts';
import { type Bundles, bundleFolder, teardownLambda } from './lambdas/bundles.ts';
import { Functions } from './lambdas/functions.ts';
import { Identity } from './lambdas/identity.ts';
import { Monitoring } from './monitoring/monitoring.ts';
import { Releases } from './releases/releases.ts';
import { Stores } from './stores/stores.ts';
import { Teardown } from './teardown/teardown.ts';

export interface ServiceStackProps {
  settings: Settings;
  bundles: Bundles;
  /** What the API offers: by default, all that is declared. */
  endpoints?: readonly AnyEndpoint[];
}

/** One deployment of the service. */
export class ServiceStack extends Stack {
  readonly monitoring: Monitoring | undefined;
  readonly releases: Releases | undefined;

  constructor(scope: Construct, id: string, { settings, bundles, endpoints = declared }: ServiceStackProps) {
    // CloudFormation counts spaces: without them a template has 60 % of its size.
    super(scope, id, { terminationProtection: settings.refusesDestroy, suppressTemplateIndentation: true });
    // Nested stacks take it from the context.
    this.node.setContext('@aws-cdk/core:suppressTemplateIndentation', true);
    const stores = new Stores(this, 'stores', settings);
    const api = new ServiceApi(this, 'api', settings, listRoutes(endpoints));
    const publicUrl = settings.publicUrl ?? api.url;
    const identity = new Identity(this, 'identity', settings, publicUrl);
    const { accessLog } = api;
    if (settings.alarms)
      this.monitoring = new Monitoring(this, 'monitoring', { settings, stores, accessLog });
    if (settings.canary && this.monitoring)
      this.releases = new Releases(this, 'releases', { settings, monitoring: this.monitoring });
    const { releases } = this;
    const entries = listEntries(endpoints);
    const props = { entries, settings, bundles, stores, identity, publicUrl, releases };
    const functions = new Functions(this, 'functions', props);
    identity.addTriggers(functions);
    api.deployAfter(functions, ...(releases ? [releases] : []));
    if (!settings.keepsData) {
      const bundle = bundleFolder(bundles, teardownLambda.id);
      new Teardown(this, 'teardown', { settings, stores, bundle }).runAfterDeletionOf(
        functions.groups.values(),
      );
    }
    this.printOutputs({ Url: publicUrl, ApiUrl: api.url, ...api.domainOutputs }, stores, identity);
  }

  private printOutputs(urls: Record<string, string>, stores: Stores, identity: Identity): void {
    const outputs = {
      ...urls,
      OidcIssuer: identity.issuer,
      OidcAudience: identity.audience,
      UserPoolId: identity.pool?.userPoolId,
      ProviderKeysSecret: stores.providerKeys.secretArn,
      TableName: stores.table.tableName,
      PayloadBucket: stores.bucket.bucketName,
    };
    for (const [name, value] of Object.entries(outputs)) if (value) new CfnOutput(this, name, { value });
  }
}
