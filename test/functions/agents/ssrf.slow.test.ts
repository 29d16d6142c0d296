import { ssrfCorpus } from '../../shared/adapters/net/ssrf-corpus.ts';
import { testAddresses } from './ssrf-tests.ts';

testAddresses(Object.values(ssrfCorpus).flat());
