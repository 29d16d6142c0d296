import { defaultStringifySearch } from '@tanstack/react-router';
import type { RunFilters } from './filters.ts';

/** The page of a run of any kind. */
export const runPath = (id: string) => `/runs/${id}`;

/** The list of the runs that match. */
export const runsPath = (filters: RunFilters) => `/runs${defaultStringifySearch(filters)}`;
