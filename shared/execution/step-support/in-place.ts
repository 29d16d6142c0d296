/** The longest wait that occupies a worker; longer ones suspend the run. */
export const inPlaceMs = 10_000;
