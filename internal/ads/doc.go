// Package ads is the interface between Assay and the ad platforms. It reads a campaign's live state, checks and
// validates a change, applies it, and reads the result. The clients are in the packages below. Package simulator
// simulates the platforms. Package adstest is the test suite for every client.
//
// A platform has neither idempotency keys nor conditional writes. An executor therefore works in this order:
//
//  1. Claim: insert the pending row of the change with the value that a preview read, the row's old value. A unique
//     index allows one open row per account and campaign.
//  2. Live read under the claim: [Platform.Read]. If the value differs from the row's old value, the change fails.
//     The old value never comes from the caller.
//  3. Compare: [State.Check] reports whether the change is possible. If the live value equals [Change.Want], the
//     result is unchanged. If it differs from the value that the caller expects, the result is a conflict. In both
//     cases nothing is sent. The guardrails follow.
//  4. Validate: [Platform.Validate], the platform's own dry run where it has one. A preview includes this step.
//  5. Apply: [Platform.Apply], once. Its [Outcome] is applied, refused or unknown, with the deadline of the write.
//  6. Read back: [Platform.Read] again, and store the value. A refused change gets the status failed.
//     An applied change gets the status applied.
//  7. Settle an unknown outcome: read after the waits of [NextLook] and pass each live value to [Settle], until the
//     settlement is neither [SettleWait] nor [SettleUnread]. After a restart, the series of reads begins again. The
//     start of the process then replaces a deadline that has passed, because an ended process sends nothing.
//
// A preview is steps 2 to 4 without the claim. It sends no mutating request. An execution makes a preview first, so
// that an unchanged or impossible change claims nothing. Step 5 is never repeated. If the outcome of a change stays
// unknown, a person decides. A rollback is a new change to the old value of the row, with the same steps.
package ads
