// One switch while the engine learns D41–D46, D52 and D54: with PACT_NEW=no the model and the generator of programs are what
// they were before, so that the law still holds for an engine that knows none of it. To be deleted with its uses (search for
// `NEW`) once the engine has everything.

export const NEW = process.env['PACT_NEW'] !== 'no'
