import * as z from 'zod';

/** The request headers of every endpoint that starts runs, which the request stack reads. */
export const StartHeaders = z.object({
  traceparent: z.string().optional().meta({
    description:
      'W3C Trace Context: the trace of the run continues that trace, below its span. Ignored if malformed',
    example: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
  }),
});
