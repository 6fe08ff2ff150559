/** How many random cases a property is tried with: all of them in `npm test`, a tenth in `npm run test:unit`. */
export const randomRuns = (all: number): number => (process.env['QUICK'] === undefined ? all : Math.ceil(all / 10));
