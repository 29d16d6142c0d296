import type { CallerWait } from '../ports/model-port.ts';
import type { ResolvedModel } from './resolved-model.ts';

/** A step that is kept off for longer fails. */
export const postponedMsMax = 86_400_000;

/** A request to a provider that is about to be made. */
export interface ProviderRequest {
  model: ResolvedModel;
  /** The most tokens that it is expected to use. Asked for only where tokens are limited. */
  tokens: () => number;
  wait: CallerWait | undefined;
  signal: AbortSignal;
}

/** A request that may be made now. */
export interface Admitted {
  /** To be called once, when the response has ended, with the tokens that it used if they are known. */
  end: (tokens?: number) => void;
}

/** Keeps requests to the limits of their model config and their key. */
export interface ModelAdmission {
  /** Waits until the request may be made. @throws RunMustWait; StepError with RATE_LIMITED */
  admit: (request: ProviderRequest) => Promise<Admitted>;
  /** No request is made with the key of the model for so long. @returns when it may be used again */
  pause: (model: ResolvedModel, ms: number) => Promise<Date>;
}
