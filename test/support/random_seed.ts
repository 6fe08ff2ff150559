import fc from 'fast-check';

/** Random cases are the same in every run, so that a failure can be repeated and a change is not blamed for one by chance. */
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(process.env['RANDOM_SEED'] ?? 20_261_116) });
