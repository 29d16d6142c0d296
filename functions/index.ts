import type { AnyEndpoint } from '../shared/http/endpoint.ts';
import { getFlow } from './flows/get.ts';

/** Every endpoint of the API, once. Routes, documents, clients and roles derive from this list. */
export const endpoints = [getFlow] as const satisfies readonly AnyEndpoint[];
