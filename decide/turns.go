package decide

// Turns keeps turns. Each method is one transaction.
type Turns interface{}
