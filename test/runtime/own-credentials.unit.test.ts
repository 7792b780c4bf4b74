import fc from "fast-check";
import { expect, test } from "vitest";
import {
  openForJob,
  openStored,
  type OwnCredential,
  sealForJob,
  sealStored,
} from "../../runtime/own-credentials.ts";

const key = "k".repeat(32);
const otherKey = "o".repeat(32);

const secrets = fc.dictionary(fc.stringMatching(/^[A-Z]{3,12}$/), fc.string({ minLength: 8 }), {
  minKeys: 1,
});
const credential: fc.Arbitrary<OwnCredential> = fc.record({
  id: fc.nat(),
  names: fc.stringMatching(/^[A-Z]{3,12}$/),
  secrets,
  pricePercent: fc.integer({ min: 0, max: 100 }),
});

test("a stored credential opens for its own account and variables alone", () => {
  fc.assert(
    fc.property(secrets, fc.nat(), fc.nat(), (values, account, other) => {
      const sealed = sealStored(key, account, "A+B", values);
      expect(openStored([key], account, "A+B", sealed)).toEqual({ secrets: values, at: 0 });
      expect(openStored([otherKey, key], account, "A+B", sealed)).toEqual({
        secrets: values,
        at: 1,
      });
      expect(openStored([otherKey], account, "A+B", sealed)).toBeUndefined();
      expect(openStored([key], account, "A", sealed)).toBeUndefined();
      if (other !== account) expect(openStored([key], other, "A+B", sealed)).toBeUndefined();
      for (const value of Object.values(values)) expect(sealed.includes(value)).toBe(false);
    }),
    { numRuns: 50 },
  );
});

test("a job's credentials open for that job of that account alone, unaltered, and never as stored ones", () => {
  fc.assert(
    fc.property(fc.array(credential, { maxLength: 3 }), fc.nat(), (list, at) => {
      const sealed = sealForJob(key, "svc_1", "acct", list);
      expect(openForJob([key], "svc_1", "acct", sealed)).toEqual(list);
      expect(openForJob([otherKey, key], "svc_1", "acct", sealed)).toEqual(list);
      expect(openForJob([key], "svc_2", "acct", sealed)).toBeUndefined();
      expect(openForJob([key], "svc_1", "other", sealed)).toBeUndefined();
      expect(openForJob([otherKey], "svc_1", "acct", sealed)).toBeUndefined();
      const bytes = Buffer.from(sealed, "base64");
      expect(openStored([key], 1, "A", bytes)).toBeUndefined();
      const index = at % bytes.length;
      bytes[index] = (bytes[index] as number) ^ 1;
      expect(openForJob([key], "svc_1", "acct", bytes.toString("base64"))).toBeUndefined();
      expect(sealForJob(key, "svc_1", "acct", list)).not.toBe(sealed);
    }),
    { numRuns: 50 },
  );
});
