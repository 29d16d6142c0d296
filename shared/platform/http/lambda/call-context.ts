import type { PluginExecutionMode } from '@middy/core';
import type { Context } from 'aws-lambda';
import type { RequestAdmission } from '../../auth/request-gate.ts';
import type { Scope } from '../../data/scope.ts';
import type { Principal } from '../../identity/principal.ts';
import type { openRequest } from '../open-requests.ts';

export interface CallContext extends Context {
  principal?: Principal;
  scope?: Scope;
  /** Whose idempotency keys a request without a principal uses. */
  caller?: string;
  admission?: Promise<RequestAdmission>;
  /** Of a read that runs beside the request gate: aborted when the gate refuses the request. */
  refused?: AbortSignal;
  /** Settles when the place of a request that lasts is free again. */
  released?: Promise<unknown> | undefined;
  /** In milliseconds, as `performance.now()` gives it. */
  startedAt?: number;
}

/** What an endpoint whose requests last has besides. */
export interface Lasting {
  openRequest: typeof openRequest;
  executionMode?: PluginExecutionMode;
}
